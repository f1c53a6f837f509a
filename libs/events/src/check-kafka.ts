import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { isCertificateError } from '@switchyard/config';
import type { Kafka } from 'kafkajs';
import type { KafkaConnection } from './kafka-connection';

/** What a broker answered to the first request of any client of Kafka. */
type Answer =
  | { readonly kind: 'kafka' }
  /** It cannot be reached, or ends the connection without a word: it may be starting. */
  | { readonly kind: 'away'; readonly silent?: boolean }
  | { readonly kind: 'other'; readonly code?: string };

const answerTimeout = 5_000;
const correlation = 0x53_57;

/** `ApiVersions` of version 0, which every broker answers before it asks who calls. */
const apiVersions = Buffer.alloc(14);
apiVersions.writeInt32BE(10, 0);
apiVersions.writeInt16BE(18, 4);
apiVersions.writeInt32BE(correlation, 8);
apiVersions.writeInt16BE(-1, 12);

const alertCode = /^ERR_SSL_.*ALERT/;

function ask(broker: string, tls: ConnectionOptions | undefined): Promise<Answer> {
  const at = broker.lastIndexOf(':');
  const host = broker.slice(0, at).replace(/^\[|\]$/g, '');
  const port = Number(broker.slice(at + 1));
  return new Promise((settle) => {
    const socket: Socket =
      tls === undefined
        ? connect({ host, port }, () => socket.write(apiVersions))
        : connectTls(
            { host, port, servername: /[a-z]/i.test(host) && !host.includes(':') ? host : undefined, ...tls },
            () => socket.write(apiVersions),
          );
    let received = Buffer.alloc(0);
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      socket.destroy();
      settle(answer);
    };
    const timer = setTimeout(() => end({ kind: 'away', silent: true }), answerTimeout);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 8) return;
      end({ kind: received.readInt32BE(4) === correlation ? 'kafka' : 'other' });
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? '';
      if (isCertificateError(code) || alertCode.test(code)) end({ kind: 'other', code });
      else end({ kind: code === 'EPROTO' || code.startsWith('ERR_SSL') ? 'other' : 'away' });
    });
    socket.once('close', () => end({ kind: received.length > 0 ? 'other' : 'away' }));
  });
}

/** What is wrong with the protocol that a broker speaks, in one line; undefined when nothing is, or it is away. */
async function protocolFault(broker: string, { tls }: KafkaConnection): Promise<string | undefined> {
  const answer = await ask(broker, tls);
  if (answer.kind === 'kafka') return undefined;
  const code = 'code' in answer ? answer.code : undefined;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `KAFKA_BROKERS: the certificate of ${broker} is of another name`;
  if (code !== undefined && isCertificateError(code))
    return `KAFKA_CA_FILE: the certificate of ${broker} is not trusted (${code})`;
  if (code !== undefined) return `KAFKA_CERTIFICATE_FILE: ${broker} does not accept this process (${code})`;
  if ('silent' in answer) return undefined;
  // A broker of the other kind ends the connection without a word, as one that is starting does.
  const otherwise = await ask(broker, tls === undefined ? { rejectUnauthorized: false } : undefined);
  if (otherwise.kind === 'kafka')
    return `KAFKA_TLS: must be ${tls === undefined}, ${broker} speaks ${tls === undefined ? 'TLS' : 'without TLS'}`;
  return answer.kind === 'other' ? `KAFKA_BROKERS: ${broker} does not speak the protocol of Kafka` : undefined;
}

/** The errors that an error of kafkajs is wrapped around, itself first. */
function* causesOf(error: unknown): Generator<Error & { type?: string }> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

/** How kafkajs ends a login that a broker has not answered; it keeps of the cause its text alone. */
const cutOff = /: (?:Closed connection|Connection (?:error|timeout)|Not connected|Request .* timed out)/;

/** What is wrong with how this process says who it is, in one line; undefined when nothing is, or the broker is away. */
async function loginFault(kafka: Kafka, { brokers, sasl, credential }: KafkaConnection): Promise<string | undefined> {
  const admin = kafka.admin({ retry: { retries: 0 } });
  const at = brokers.join(',');
  try {
    await admin.connect();
    await admin.listTopics();
    return undefined;
  } catch (error) {
    for (const { name, type, message } of causesOf(error)) {
      if (type === 'ILLEGAL_SASL_STATE') return `KAFKA_SASL_MECHANISM: ${at} asks for no SASL`;
      if (message.startsWith('KAFKA_')) return message;
      if (name === 'KafkaJSSASLAuthenticationError') {
        if (cutOff.test(message)) return undefined;
        const variable = /not supported/.test(message) ? 'KAFKA_SASL_MECHANISM' : credential;
        return `${variable}: ${at} refuses the login (${message})`;
      }
      if (sasl === undefined && name === 'KafkaJSConnectionClosedError')
        return `KAFKA_SASL_MECHANISM: ${at} ends connections without a login`;
    }
    return undefined;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/**
 * Refuses settings with which the brokers can never be used. Brokers that are away are no fault: the bus waits for
 * them.
 * @throws Error with one line that names the variable at fault
 */
export async function checkKafka(kafka: Kafka, connection: KafkaConnection): Promise<void> {
  const faults = await Promise.all(connection.brokers.map((broker) => protocolFault(broker, connection)));
  const wrong = faults.find((fault) => fault !== undefined);
  if (wrong !== undefined) throw new Error(wrong);
  const fault = await loginFault(kafka, connection);
  if (fault === undefined) return;
  // A broker that stops ends one connection as a broker that asks for a login ends each of them.
  if (connection.sasl === undefined && (await loginFault(kafka, connection)) === undefined) return;
  throw new Error(fault);
}
