/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/** A store that runs an action before each put. */
record SlowStore(PackStore store, Before before) implements PackStore {
  @FunctionalInterface
  interface Before {
    void put() throws IOException, InterruptedException;
  }

  @Override
  public Map<Hash, PackRef> find(Collection<Hash> chunks) throws IOException, InterruptedException {
    return store.find(chunks);
  }

  @Override
  public void put(Pack pack) throws IOException, InterruptedException {
    before.put();
    store.put(pack);
  }
}
