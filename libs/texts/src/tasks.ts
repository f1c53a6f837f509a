const taskLine = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~])\]\s/;

/** Counts the task list items of a description, code blocks left out. */
export function countTasks(description: string | undefined): { count: number; completed: number } {
  const tasks = { count: 0, completed: 0 };
  // Most descriptions have no task: do not split a megabyte for nothing.
  if (description === undefined || !description.includes('[')) return tasks;
  let fence: string | undefined;
  for (const line of description.split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark[0];
      else if (mark[0] === fence) fence = undefined;
      continue;
    }
    const box = fence === undefined ? taskLine.exec(`${line} `)?.[1] : undefined;
    if (box === undefined || box === '~') continue;
    tasks.count += 1;
    if (box !== ' ') tasks.completed += 1;
  }
  return tasks;
}
