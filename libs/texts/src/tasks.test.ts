import { countTasks } from './tasks';

test.each([
  [undefined, 0, 0],
  ['- [ ] a\n- [x] b\n* [X] c\n1. [ ] d', 4, 2],
  ['- [~] given up\n- [] none\n-[ ] none\ntext [x] none', 0, 0],
  ['```\n- [ ] code\n```\n- [ ] task', 1, 0],
  ['  - [ ] nested', 1, 0],
])('tasks of %j', (description, count, completed) => {
  expect(countTasks(description)).toEqual({ count, completed });
});
