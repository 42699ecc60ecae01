/** Text from outside, safe for people and logs: without keys, and shortened. */
export function masked(text: string, key: string | undefined): string {
  const withoutKey = key ? text.replaceAll(key, "***") : text;
  return (
    withoutKey
      // Providers quote keys in part, and other people's proxies quote other people's keys.
      .replace(/\b(?:(?:sk|pk|rk|key)[-_]|Bearer )[\w*.-]{6,}/g, "***")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 300)
  );
}
