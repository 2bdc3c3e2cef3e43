/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a request within a bound. Of a larger one it discards the rest, up to 4 GiB, so
 * that the client has sent it and reads the error. Used by one thread.
 */
final class RequestBodyReader {
  private static final long MAX_DISCARDED = 4L * 1024 * 1024 * 1024;

  private final InputStream in;
  private final int maxBytes;

  RequestBodyReader(InputStream in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /**
   * @param progress called after each read
   * @return null for a body over the bound
   */
  byte @Nullable [] read(Runnable progress) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] buffer = new byte[64 * 1024];
    long size = 0;
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      progress.run();
      size += read;
      if (size <= maxBytes) {
        body.write(buffer, 0, read);
      } else if (size > MAX_DISCARDED) {
        throw new IOException("the request is larger than " + MAX_DISCARDED + " bytes");
      } else {
        body.reset();
      }
    }
    return size > maxBytes ? null : body.toByteArray();
  }
}
