export { composeMail } from './compose';
export { headerLine, type Mail } from './domain/mail';
export { mailStore } from './storage/mail.store';
