import type { Transform, TransformCallback } from "node:stream";
import { objectTransform } from "through2";

/**
 * A transform stream, made with through2, that turns each batch into another one; where that gives undefined, nothing goes on. `onEnd` may add a last batch.
 * What either of them throws becomes the stream's error: thrown from a transform function as such it would be an uncaught exception, and the pipeline
 * around it would never settle.
 */
export function batchTransform<In, Out>(
  onBatch: (batch: In) => Out | undefined,
  onEnd: () => Out | undefined = () => undefined,
): Transform {
  return objectTransform(
    (batch: In, _encoding: BufferEncoding, done: TransformCallback) => answer(done, () => onBatch(batch)),
    function (this: Transform, done: TransformCallback) {
      const finish: TransformCallback = (error, batch) => {
        if (batch !== undefined) this.push(batch);
        done(error);
      };
      answer(finish, onEnd);
    },
  );
}

function answer<Out>(done: TransformCallback, run: () => Out | undefined): void {
  let batch: Out | undefined;
  try {
    batch = run();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done(null, batch);
}
