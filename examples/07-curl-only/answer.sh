#!/bin/sh
# Starts a dialog, waits for the question that it leads to, answers it, and prints what the agent says: with nothing but curl.
#
#   colloquy demo team && cd team && colloquy serve &      (or any project of yours)
#   URL=http://127.0.0.1:5740 TOKEN=… PROJECT=team sh answer.sh "Please decide"
#
# URL and token stand in the link that `colloquy serve` prints, and in .dialogs/server.json.
set -eu
api="$URL/api/projects/$PROJECT"
ask() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
# The value of a field, as far as one needs it here. A real program reads JSON.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" | head -n 1; }

# The msgId is ours: sent again after a broken connection, the same one has the effect of one.
dialog=$(ask "$api/dialogs" -d "{\"content\": \"$1\", \"msgId\": \"curl-$$\"}" | field rootId)
echo "dialog $dialog"

# Server-sent events from the first one on, until one of them holds this.
await() { until ask -N --max-time 2 "$api/dialogs/$dialog/stream?after=0" 2>/dev/null | grep -m 1 "$1"; do :; done; }

await '"type":"question.asked"' >/dev/null
question=$(ask "$api/questions?status=open" | tr '{' '\n' | grep '"id"' | field id)
ask "$api/questions/$question" | tr ',' '\n' | grep '"headline"'
ask "$api/questions/$question/answer" -d "{\"choice\": 0, \"msgId\": \"curl-answer-$$\"}" >/dev/null

# What was said after the answer.
await '"ends":true' | sed 's/.*"saying":"\([^"]*\)".*/\1/'
