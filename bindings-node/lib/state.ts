/**
 * A value that others watch: what a resharding strategy depends on.
 *
 * @module
 */

/** An observable value. Watchers are called in order, before `update` returns. */
export class State<T> {
  #value: T;
  #version = 0;
  #telling = false;
  readonly #watchers = new Set<() => void>();

  /** Begins with a value. */
  constructor(value: T) {
    this.#value = value;
  }

  /** The value now. */
  get value(): T {
    return this.#value;
  }

  /** How often the value was set; two equal values in a row count twice. */
  get version(): number {
    return this.#version;
  }

  /**
   * Sets the value and tells the watchers. A watcher may update too: that change is told when the one under way has
   * been told to everyone. What a watcher throws keeps nobody from being told; the first error is thrown at the end.
   */
  update(value: T): void {
    this.#value = value;
    this.#version += 1;
    if (this.#telling) return;
    const errors: unknown[] = [];
    this.#telling = true;
    for (let told = -1; told !== this.#version; ) {
      told = this.#version;
      for (const watcher of [...this.#watchers]) {
        try {
          watcher();
        } catch (error) {
          errors.push(error);
        }
      }
    }
    this.#telling = false;
    if (errors.length > 0) throw errors[0];
  }

  /** Calls `watcher` after each change; gives a function that ends it, which may be called again. */
  watch(watcher: () => void): () => void {
    const own = (): void => watcher(); // one function may watch twice
    this.#watchers.add(own);
    return () => {
      this.#watchers.delete(own);
    };
  }
}
