/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/** Detects when a process that was just started is ready. */
public sealed interface ReadinessProbe {

  /** Ready once a line of its own log, since this start, matches. */
  record LogLine(Pattern pattern) implements ReadinessProbe {}

  /**
   * Ready once this address responds with 200.
   *
   * @param tls for an https address
   */
  record Http(URI uri, TlsSettings tls) implements ReadinessProbe {
    public Http(URI uri) {
      this(uri, TlsSettings.NONE);
    }
  }

  /** A response that takes longer counts as "not yet". */
  int PROBE_MILLIS = 1_000;

  /**
   * Returns a check to be polled by one thread.
   *
   * @param log the process's log
   * @param from size of the log when the process was started, in bytes
   */
  default BooleanSupplier probe(Path log, long from) {
    return switch (this) {
      case LogLine(Pattern pattern) -> new LogLineScanner(pattern, log, from)::found;
      case Http(URI uri, TlsSettings tls) -> {
        Optional<SSLSocketFactory> sockets =
            "https".equals(uri.getScheme())
                ? Optional.of(tls.context().getSocketFactory())
                : Optional.empty();
        yield () -> answers(uri, sockets);
      }
    };
  }

  private static boolean answers(URI uri, Optional<SSLSocketFactory> sockets) {
    try {
      HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
      if (connection instanceof HttpsURLConnection secure) {
        sockets.ifPresent(secure::setSSLSocketFactory);
      }
      connection.setConnectTimeout(PROBE_MILLIS);
      connection.setReadTimeout(PROBE_MILLIS);
      try {
        return connection.getResponseCode() == 200;
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return false;
    }
  }
}
