/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.posix.RawName;

/** Formats raw paths as readable text. */
final class RawPathFormatter {
  private RawPathFormatter() {}

  /** Formats a raw name in a directory; the root is the empty path. */
  static String child(String directory, String rawName) {
    String name = RawName.display(rawName);
    return directory.isEmpty() ? name : directory + "/" + name;
  }
}
