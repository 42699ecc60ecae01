/** Offers a file for saving. It is fetched by script, because a link would send the cookie alone, which gives no access. */
export async function saveFile(name: string, content: ReadableStream<Uint8Array>): Promise<void> {
  const url = URL.createObjectURL(await new Response(content as never).blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has its own hold on it by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}
