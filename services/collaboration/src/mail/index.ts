export { composeMail } from './compose';
export {
  escapedText,
  type GatheredMail,
  headerLine,
  type Made,
  type Mail,
  mailAttempts,
  type OutgoingMail,
} from './domain/mail';
export { mailStore, wakeMails } from './storage/mail.store';
