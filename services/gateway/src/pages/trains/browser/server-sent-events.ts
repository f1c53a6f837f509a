/** One event of a stream. */
export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** Most characters that are kept of an unfinished event. */
const maxLength = 64 << 20;

/**
 * Reads server-sent events from a body (the part of the format that the server uses: `event`, `data`, comments).
 * `onActivity` is called with every piece, comments included. EventSource cannot send a token.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onActivity();
      rest += decoder.decode(value, { stream: true });
      if (rest.length > maxLength) throw new Error('an event is too long');
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parse(block: string): ServerSentEvent | undefined {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { name, data: data.join('\n') };
}
