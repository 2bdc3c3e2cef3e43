/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Reads this machine's name without a DNS lookup, which can take seconds while a run waits. */
public final class HostNameReader {
  private static final Logger LOG = Logger.getLogger(HostNameReader.class);
  private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");

  private static final class Known {
    static final String NAME = read();
  }

  private HostNameReader() {}

  /** Returns the name, which is read once. */
  public static String get() {
    return Known.NAME;
  }

  private static String read() {
    if (Files.isReadable(KERNEL)) {
      try {
        return Files.readString(KERNEL).strip();
      } catch (IOException e) {
        LOG.debugf("%s: %s", KERNEL, e);
      }
    }
    return Optional.ofNullable(System.getenv("HOSTNAME")).orElse("unknown");
  }
}
