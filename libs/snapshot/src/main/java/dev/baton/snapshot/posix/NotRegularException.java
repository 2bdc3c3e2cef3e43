/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;

/** Thrown if a link, directory, FIFO, socket or device is found instead of a regular file. */
public final class NotRegularException extends IOException {
  private static final long serialVersionUID = 1L;

  NotRegularException(String path) {
    super(path + " is not a regular file");
  }
}
