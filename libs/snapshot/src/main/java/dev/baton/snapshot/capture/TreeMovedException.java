/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import java.io.IOException;

/** Thrown if a file differs from the scan: the tree must be scanned again. */
final class TreeMovedException extends IOException {
  private static final long serialVersionUID = 1L;

  TreeMovedException(String path) {
    super("'" + path + "' changed while the tree was captured");
  }
}
