/** A commit of the simulated repository: what it lies on, and what it adds. */
interface Commit {
  readonly onto: string | undefined;
  /** The car whose changes it holds; undefined for what outsiders push. */
  readonly carId: number | undefined;
  /** It changes the one file that not everyone can change. */
  readonly hot: boolean;
}

/** Commits, each on one other. A car built twice on the same commit is the same commit. */
export class SimulatedGit {
  private readonly commits = new Map<string, Commit>();
  private readonly commitOf = new Map<string, string>();

  commit(onto: string | undefined, carId: number | undefined, hot: boolean): string {
    const known = carId === undefined ? undefined : this.commitOf.get(`${onto}|${carId}`);
    if (known !== undefined) return known;
    const sha = `${carId === undefined ? 'o' : 'c'}${this.commits.size + 1}`;
    this.commits.set(sha, { onto, carId, hot });
    if (carId !== undefined) this.commitOf.set(`${onto}|${carId}`, sha);
    return sha;
  }

  read(sha: string): Commit | undefined {
    return this.commits.get(sha);
  }

  /** A commit and all behind it, newest first. */
  historyOf(tip: string | undefined): string[] {
    const found: string[] = [];
    for (let at = tip; at !== undefined; at = this.commits.get(at)?.onto) found.push(at);
    return found;
  }
}
