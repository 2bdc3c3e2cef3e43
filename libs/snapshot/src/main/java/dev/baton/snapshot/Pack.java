/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.format.Hash;
import java.util.List;

/**
 * A finished pack that is about to be stored.
 *
 * @param bytes contains the object in its first {@code length} bytes; must not change until the
 *     pack has been stored
 * @param chunks the chunks of the pack, in the order of its index
 */
public record Pack(PackRef ref, byte[] bytes, int length, List<Hash> chunks) {
  public Pack {
    chunks = List.copyOf(chunks);
    if (length != ref.size() || length > bytes.length) {
      throw new IllegalArgumentException(
          "pack of %d bytes: length %d of an array of %d bytes does not match"
              .formatted(ref.size(), length, bytes.length));
    }
  }
}
