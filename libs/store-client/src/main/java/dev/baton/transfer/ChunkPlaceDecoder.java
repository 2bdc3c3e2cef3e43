/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decodes the store's response to a query for chunks. */
public final class ChunkPlaceDecoder {
  private ChunkPlaceDecoder() {}

  /**
   * Returns the pack of each chunk that the store has.
   *
   * @param asked the chunks in the order of the query
   * @param places for each of them the number of its pack, from 1, or 0 if the store does not have
   *     it
   * @throws IOException when the response does not fit the query
   */
  public static Map<Hash, PackRef> decode(
      Collection<Hash> asked, List<Integer> places, List<PackRef> packs) throws IOException {
    if (places.size() != asked.size()) {
      throw new IOException(
          "the store returned %d places for %d chunks".formatted(places.size(), asked.size()));
    }
    Map<Hash, PackRef> found = new HashMap<>();
    int i = 0;
    for (Hash chunk : asked) {
      int place = places.get(i++);
      if (place < 0 || place > packs.size()) {
        throw new IOException(
            "the store returned place %d of %d packs".formatted(place, packs.size()));
      }
      if (place > 0) {
        found.put(chunk, packs.get(place - 1));
      }
    }
    return found;
  }
}
