const MASK = "[masked]";
const MIN_CHARACTERS = 8;
const KEY_NAMES = /(?:^|_)(?:API_?KEY|TOKEN|SECRET|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY)$/i;

/** The values in an environment that look like keys, by their names. `named`: variables that are known to hold one. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>, named: readonly string[] = []): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && (KEY_NAMES.test(name) || named.includes(name)) ? [value.trim()] : [],
  );
  // A shorter one may be a part of a longer one, which must go whole. What is too short would be found everywhere.
  return [...new Set(values)].filter((value) => value.length >= MIN_CHARACTERS).toSorted((one, other) => other.length - one.length);
}

/** A text without these secrets, as they are and as they stand in an address. */
export function masked(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK).replaceAll(encodeURIComponent(secret.toWellFormed()), MASK), text);
}
