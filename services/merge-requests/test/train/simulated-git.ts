/** A commit of the simulated repository: what it lies on, and what it adds. */
interface Commit {
  readonly onto: string | undefined;
  /** The car whose changes it holds; undefined for what outsiders push. */
  readonly carId: number | undefined;
  /** It changes the one file that not everyone can change. */
  readonly hot: boolean;
}

/** Commits, each on one other. A car built twice by the same method on the same commit is the same commit. */
export class SimulatedGit {
  private readonly commits = new Map<string, Commit>();
  private readonly commitOf = new Map<string, string>();

  commit(onto: string | undefined, carId: number | undefined, hot: boolean, method = 0): string {
    const key = `${onto}|${carId}|${method}`;
    const known = carId === undefined ? undefined : this.commitOf.get(key);
    if (known !== undefined) return known;
    const sha = `${carId === undefined ? 'o' : 'c'}${this.commits.size + 1}`;
    this.commits.set(sha, { onto, carId, hot });
    if (carId !== undefined) this.commitOf.set(key, sha);
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

  /** The cars whose changes lie between two commits, oldest first; undefined when `to` does not lie on `from`. */
  carsBetween(from: string, to: string): (number | undefined)[] | undefined {
    const history = this.historyOf(to);
    const end = history.indexOf(from);
    return end === -1
      ? undefined
      : history
          .slice(0, end)
          .map((sha) => this.commits.get(sha)?.carId)
          .reverse();
  }

  /** The cars whose changes a commit holds. */
  carsOf(tip: string): number[] {
    return this.historyOf(tip).flatMap((sha) => this.commits.get(sha)?.carId ?? []);
  }
}
