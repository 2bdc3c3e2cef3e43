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
 * A finished pack on its way to the store.
 *
 * @param bytes the object is the first {@code length} of them; nobody changes them until it has
 *     been put
 * @param chunks what is in it, in the order of its index
 */
public record Pack(PackRef ref, byte[] bytes, int length, List<Hash> chunks) {
  public Pack {
    chunks = List.copyOf(chunks);
    if (length != ref.size() || length > bytes.length) {
      throw new IllegalArgumentException(
          "a pack of %d bytes is not %d of %d".formatted(ref.size(), length, bytes.length));
    }
  }
}
