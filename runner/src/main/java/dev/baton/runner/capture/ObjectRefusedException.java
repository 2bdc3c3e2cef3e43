/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import java.io.IOException;
import java.net.HttpURLConnection;

/** The object store refused the request; repeating the same request does not help. */
final class ObjectRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;

  ObjectRefusedException(String message, int status) {
    super(message);
    this.status = status;
  }

  /** Whether the object does not exist; otherwise the URL has expired. */
  boolean isAbsent() {
    return status == HttpURLConnection.HTTP_NOT_FOUND;
  }
}
