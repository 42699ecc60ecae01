/** No answer came, so it is unknown whether the command took effect. Sending it again with the same `msgId` is safe. */
export class Disconnected extends Error {
  override readonly name = "Disconnected";
}
