import { h } from '../libs/preact.js';

/** Asks for a token. The field is no password of this site: managers should neither save nor fill it. */
export function TokenForm({ problem, onToken }: { problem: string; onToken: (token: string) => void }) {
  const submit = (event: Event): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('token') as HTMLInputElement;
    const token = field.value.trim();
    if (token !== '') onToken(token);
  };
  return (
    <section class="ask" aria-labelledby="ask">
      <h2 id="ask">Sign in with a token</h2>
      <p id="about">
        Enter a personal access token with the scope <code>read_api</code>. This tab keeps it until it is closed; it is
        sent to this installation alone.
      </p>
      {problem !== '' && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <form onSubmit={submit}>
        <label for="token">Personal access token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby="about"
          maxLength={255}
        />
        <button type="submit">Show the train</button>
      </form>
    </section>
  );
}
