/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The kernel's clock for file times: a file that was changed within its current tick is not yet
 * trusted by {@link TimestampTrustPolicy}.
 */
public final class KernelClock {
  private static final long SETTLED_MILLIS = 120;

  private KernelClock() {}

  /**
   * Waits until the tick of all earlier changes is over.
   *
   * @param folder for a file of its own, outside the tree
   */
  public static void awaitSettled(Path folder) throws IOException {
    Path probe = folder.resolve("probe");
    long until = System.currentTimeMillis() + SETTLED_MILLIS;
    do {
      Files.writeString(probe, "x");
      Thread.onSpinWait();
    } while (Files.getLastModifiedTime(probe).toMillis() < until);
  }
}
