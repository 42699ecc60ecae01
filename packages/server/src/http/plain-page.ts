/** For a server without the web app: lists its addresses. */
export const plainPage = (version: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Colloquy</title>
<h1>Colloquy ${version}</h1>
<p>The server is at work. The web app is not part of this build; the API is.</p>
<ul>
<li><a href="/api/health">/api/health</a></li>
<li><a href="/api/projects">/api/projects</a>: needs the token, as a cookie from the printed link or as <code>Authorization: Bearer TOKEN</code></li>
<li><code>/ws</code>: WebSocket</li>
<li><code>docs/API.md</code>: every route and packet</li>
</ul>
`;
