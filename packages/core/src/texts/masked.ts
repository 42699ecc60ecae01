const MASK = "[masked]";
const MIN_CHARACTERS = 8;
const KEY_NAMES = /(?:^|_)(?:API_?KEY|TOKEN|SECRET|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY)$/i;

/** Values in an environment that look like keys, by variable name. `named`: variables known to hold one. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>, named: readonly string[] = []): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && (KEY_NAMES.test(name) || named.includes(name)) ? [value.trim()] : [],
  );
  // Longest first: a shorter secret may be part of a longer one. Very short values would match everywhere.
  return [...new Set(values)].filter((value) => value.length >= MIN_CHARACTERS).toSorted((one, other) => other.length - one.length);
}

/** Removes these secrets from a text, verbatim and URL-encoded. */
export function masked(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK).replaceAll(encodeURIComponent(secret.toWellFormed()), MASK), text);
}
