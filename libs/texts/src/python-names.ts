/** The name by which an index knows a Python project, however it is written (PEP 503). */
export const pythonName = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();
