/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import dev.baton.protocol.json.TextShortener;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of an attached terminal: writes what it shows. The next message is requested
 * when the last one is written, so that a slow reader slows the sender. Thread-safe.
 */
final class AttachedTerminal implements WebSocket.Listener {
  private static final int NORMAL = 1000;
  private static final int NOT_ALLOWED = 1008;
  private static final int MAX_REASON = 200;

  /** How it ended. */
  sealed interface End {
    /** The client is detached, or the step has ended, as the server says. */
    record Closed(String reason) implements End {}

    /** The server refuses a message, or the right of the caller has ended. */
    record Refused(String reason) implements End {}

    /** The connection broke, or the server ended it. */
    record Lost(String reason) implements End {}

    /** The reader of the output is gone. */
    record NoReader() implements End {}
  }

  private final PrintStream out;
  private final CompletableFuture<End> end = new CompletableFuture<>();

  /**
   * @param out receives all bytes as they are
   */
  AttachedTerminal(PrintStream out) {
    this.out = out;
  }

  /** Completes, never exceptionally, when nothing follows. */
  CompletableFuture<End> end() {
    return end;
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    write(out, bytes);
    if (out.checkError()) {
      end.complete(new End.NoReader());
    }
    socket.request(1);
    return null;
  }

  private static void write(OutputStream to, byte[] bytes) {
    try {
      to.write(bytes);
      to.flush();
    } catch (java.io.IOException e) {
      // A print stream does not throw; it reports by checkError.
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
    String shown = TextShortener.shorten(reason, MAX_REASON);
    end.complete(
        switch (code) {
          case NORMAL -> new End.Closed(reason);
          case NOT_ALLOWED -> new End.Refused(shown);
          default -> new End.Lost(shown);
        });
    return null;
  }

  @Override
  public void onError(WebSocket socket, Throwable error) {
    end.complete(
        new End.Lost(TextShortener.shorten(String.valueOf(error.getMessage()), MAX_REASON)));
  }
}
