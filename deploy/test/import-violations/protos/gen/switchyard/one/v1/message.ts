export interface Message {
  id: number;
}
