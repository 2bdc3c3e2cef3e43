/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/**
 * Locates a block in its pack.
 *
 * @param offset of its frame in the pack
 * @param compressedLength bytes of the frame
 * @param rawLength bytes of its chunks, 1 to {@link Chunk#MAX}
 */
public record BlockSpan(Chunk.Kind kind, int offset, int compressedLength, int rawLength) {}
