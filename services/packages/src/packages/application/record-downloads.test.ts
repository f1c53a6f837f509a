import { downloadRecorder } from './record-downloads';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('records downloads together, each package once, and goes on after a failure', async () => {
  const recordDownloads = jest.fn().mockResolvedValue(undefined);
  const recorder = downloadRecorder({ recordDownloads });
  for (const id of [3, 1, 3]) recorder.record(id);
  expect(recordDownloads).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(recordDownloads.mock.calls).toEqual([[[3, 1]]]);

  recordDownloads.mockRejectedValueOnce(new Error('the database is away'));
  recorder.record(4);
  await jest.advanceTimersByTimeAsync(1_000);
  recorder.record(5);
  await recorder.close();
  expect(recordDownloads.mock.calls.slice(1)).toEqual([[[4]], [[5]]]);
  await recorder.close();
  expect([recordDownloads.mock.calls.length, jest.getTimerCount()]).toEqual([3, 0]);
});
