import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { SECURITY_HEADERS } from "./headers.ts";
import { errorBody } from "./problem.ts";
import { Refused } from "@colloquy/schema";

/** Refuses input that is not HTTP, too long or too slow, before a reply object exists. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  if (error.code === "HPE_HEADER_OVERFLOW") return refuse(socket, 431, "The headers are too long.");
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return refuse(socket, 408, "The request took too long to come in.");
  refuse(socket, 400, "This is not an HTTP request.");
}

/** Refuses an unreadable request to open a WebSocket. */
export const refuseUpgrade = (error: Error, socket: Duplex): void => refuse(socket, 400, error.message);

/** An `Expect` other than `100-continue`. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = bodyOf("This expectation cannot be met.");
  response
    .writeHead(417, { ...SECURITY_HEADERS, "content-type": "application/json; charset=utf-8", "content-length": body.length })
    .end(body);
}

function refuse(socket: Duplex, status: number, message: string): void {
  if (!socket.writable) return void socket.destroy();
  const body = bodyOf(message);
  const headers = {
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
    connection: "close",
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head.join("")}\r\n${body}`);
}

const bodyOf = (message: string): string => JSON.stringify(errorBody(new Refused({ code: "bad_request", message })));
