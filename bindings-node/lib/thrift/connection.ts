/**
 * One connection to one node; it carries one call at a time. Private to the package.
 *
 * @module
 */

import { ConnectError, ConnectionLostError, GarbageAnswerError, type NodeFailedError } from "./errors.js";
import { dial, type GeneratedClient, type GeneratedService, library, type RawConnection, type WireOptions } from "./wire.js";

/** An error of the caller's own making: the arguments could not be written. Carries the cause only. */
export class WriteError {
  constructor(readonly cause: unknown) {}
}

/** Why a connection ended, before it is known which call it was for. */
type Loss = (node: string, endpoint: string) => NodeFailedError;

/** A connection, connecting from the start. */
export class Connection {
  readonly #raw: RawConnection;
  readonly #client: GeneratedClient;
  #connected = false;
  #loss: Loss | undefined;
  #onLoss: ((loss: Loss) => void) | undefined;
  /** Called once, when the connection has ended for whatever reason. */
  onEnd: () => void = () => undefined;

  constructor(service: GeneratedService, host: string, port: number, options: Required<WireOptions>) {
    this.#raw = dial(host, port, options);
    this.#client = library.createClient(service, this.#raw);
    const late = (): void => this.#lose((node, endpoint) => {
      return new ConnectError(`no connection to ${host}:${port} within ${options.connectTimeoutMs} ms`, node, endpoint);
    });
    const timer = setTimeout(late, options.connectTimeoutMs);
    this.#raw.on("connect", () => {
      clearTimeout(timer);
      this.#connected = true;
    });
    this.#raw.on("error", (error: unknown) => {
      clearTimeout(timer);
      this.#lose((node, endpoint) => this.#kind(error, host, port, node, endpoint));
    });
    this.#raw.on("close", () => {
      clearTimeout(timer);
      this.#lose((node, endpoint) => new ConnectionLostError(`${host}:${port} closed the connection`, node, endpoint));
    });
  }

  #kind(error: unknown, host: string, port: number, node: string, endpoint: string): NodeFailedError {
    const said = `${host}:${port}: ${String(error)}`;
    if (!this.#connected) return new ConnectError(said, node, endpoint, error);
    const broken = typeof (error as { syscall?: unknown } | null)?.syscall === "string";
    return broken
      ? new ConnectionLostError(said, node, endpoint, error)
      : new GarbageAnswerError(`an answer that cannot be read from ${said}`, node, endpoint, error);
  }

  #lose(loss: Loss): void {
    if (this.#loss !== undefined) return;
    this.#loss = loss;
    this.#raw.destroy();
    this.#onLoss?.(loss);
    this.onEnd();
  }

  /** Whether it has ended. */
  get ended(): boolean {
    return this.#loss !== undefined;
  }

  /** Calls a method. Rejects with a `NodeFailedError` when no answer came, with `WriteError` when nothing was sent. */
  call(node: string, endpoint: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = (loss: Loss): void => reject(loss(node, endpoint));
      if (this.#loss !== undefined) return fail(this.#loss);
      this.#onLoss = fail;
      const method = this.#client[endpoint] as (...values: unknown[]) => Promise<unknown>;
      const answer = method.apply(this.#client, [...args]);
      // A call that could not be written has been struck from the list already.
      const written = this.#client.seqid() in this.#client._reqs;
      answer.then(resolve, (error: unknown) => reject(written ? error : new WriteError(error)));
    });
  }

  /** Lets the process end although the connection is open, or not. */
  hold(busy: boolean): void {
    if (busy) this.#raw.connection.ref();
    else this.#raw.connection.unref();
  }

  /** Ends the connection; a call under way rejects. */
  end(): void {
    this.#lose((node, endpoint) => new ConnectionLostError("the client ended the connection", node, endpoint));
  }
}
