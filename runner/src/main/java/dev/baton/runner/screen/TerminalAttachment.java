/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.screen;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.OpenTerminal;
import dev.baton.protocol.grpc.TerminalClosed;
import dev.baton.protocol.grpc.TerminalInput;
import dev.baton.protocol.grpc.TerminalOpened;
import dev.baton.protocol.grpc.TerminalOutput;
import dev.baton.protocol.grpc.TerminalRefused;
import dev.baton.protocol.grpc.TerminalSize;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One attached terminal: a client of a screen's tmux server in a pseudo-terminal, whose bytes pass
 * over a call to the orchestrator. Of the output at most {@link #WINDOW} bytes are on the way; a
 * client that does not take them makes tmux drop what it would draw, and draw the newest screen
 * later. Thread-safe.
 */
public final class TerminalAttachment implements StreamObserver<TerminalInput> {
  /** Bytes that are sent and not reported as consumed; the same for both directions. */
  private static final int WINDOW = 256 << 10;

  private static final Logger LOG = Logger.getLogger(TerminalAttachment.class);
  private static final int CHUNK = 32 << 10;
  private static final int MAX_MESSAGES = 4_096;
  private static final int MAX_SIDE = 1_000;
  private static final int DEFAULT_COLUMNS = 80;
  private static final int DEFAULT_ROWS = 24;
  private static final Duration START_PATIENCE = Duration.ofSeconds(10);
  private static final int TAIL = 256;
  private static final int MAX_CLIENTS = 64 << 10;
  private static final String DETACHED = "detached";
  private static final String ENDED = "ended";
  private static final Pattern TERM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+-]{0,63}");

  private final OpenTerminal request;
  private final Runnable onDetach;
  private final BlockingQueue<TerminalInput> input = new ArrayBlockingQueue<>(MAX_MESSAGES);
  private @Nullable StreamObserver<TerminalOutput> out;
  private @Nullable Process client;
  private long onTheWay;
  private long waitingInput;
  private boolean closed;

  private TerminalAttachment(OpenTerminal request, Runnable onDetach) {
    this.request = request;
    this.onDetach = onDetach;
  }

  /**
   * Answers a request of the orchestrator, without blocking.
   *
   * @param call opens the call; its argument receives the input
   * @param onDetach runs on a thread of its own when a terminal that may type is detached, and the
   *     screen continues
   */
  public static void open(
      OpenTerminal request,
      ScreenRegistry screens,
      Function<StreamObserver<TerminalInput>, StreamObserver<TerminalOutput>> call,
      Runnable onDetach) {
    TerminalAttachment attachment = new TerminalAttachment(request, onDetach);
    StreamObserver<TerminalOutput> out = call.apply(attachment);
    synchronized (attachment) {
      attachment.out = out;
    }
    Thread.ofPlatform()
        .daemon()
        .name("terminal-" + request.getStep())
        .start(() -> attachment.serve(screens));
  }

  private void serve(ScreenRegistry screens) {
    switch (screens.find(request.getRun(), request.getStep())) {
      case ScreenRegistry.Found.None(String reason) -> refuse(reason);
      case ScreenRegistry.Found.Screen(InteractiveScreen screen) -> {
        if (!screen.tryAttach()) {
          refuse(
              "%d terminals are attached to step '%s' already"
                  .formatted(InteractiveScreen.MAX_TERMINALS, screen.step()));
          return;
        }
        try {
          if (screen.awaitSession(START_PATIENCE)) {
            serve(screen);
          } else {
            refuse("the screen of step '%s' has not started".formatted(screen.step()));
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          refuse("the runner is stopping");
        } catch (IOException e) {
          LOG.warnf("run %s: a terminal cannot be attached: %s", request.getRun(), e.getMessage());
          refuse("the terminal cannot be attached: " + e.getMessage());
        } finally {
          screen.detached();
        }
      }
    }
  }

  private void serve(InteractiveScreen screen) throws IOException {
    Process started = start(screen);
    synchronized (this) {
      if (closed) {
        started.destroyForcibly();
        return;
      }
      client = started;
    }
    Thread typing =
        Thread.ofPlatform().daemon().name("terminal-input").start(() -> type(started, screen));
    String reason = ENDED;
    try {
      send(
          TerminalOutput.newBuilder()
              .setOpened(TerminalOpened.newBuilder().setId(request.getId()).setStep(screen.step()))
              .build());
      reason = show(started.getInputStream());
    } finally {
      typing.interrupt();
      started.destroyForcibly();
      close(reason);
      if (reason.equals(DETACHED) && !request.getReadOnly()) {
        onDetach.run();
      }
    }
  }

  private Process start(InteractiveScreen screen) throws IOException {
    TmuxServer server = screen.server();
    String attach =
        "stty rows %d cols %d; exec '%s' -u -S %s attach-session %s-t '=%s'"
            .formatted(
                side(request.getRows(), DEFAULT_ROWS),
                side(request.getColumns(), DEFAULT_COLUMNS),
                server.program().toString().replace("'", "'\\''"),
                TmuxServer.SOCKET,
                request.getReadOnly() ? "-r " : "",
                TmuxServer.SESSION);
    ProcessBuilder builder =
        new ProcessBuilder(screen.script().toString(), "-q", "-f", "-e", "-c", attach, "/dev/null")
            .directory(server.folder().toFile())
            .redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(TmuxServer.environment(term(request.getTerm())));
    return builder.start();
  }

  private static int side(int wanted, int otherwise) {
    return wanted < 1 ? otherwise : Math.min(wanted, MAX_SIDE);
  }

  /** Returns the kind of terminal, or one that each machine has. */
  private static String term(String wanted) {
    boolean known =
        TERM.matcher(wanted).matches()
            && Stream.of(
                    "/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo")
                .anyMatch(
                    folder ->
                        Files.isReadable(Path.of(folder, wanted.substring(0, 1), wanted))
                            || Files.isReadable(
                                Path.of(folder, Integer.toHexString(wanted.charAt(0)), wanted)));
    return known ? wanted : "xterm";
  }

  /** Sends what the client shows until it ends; returns why it has. */
  private String show(InputStream from) {
    byte[] chunk = new byte[CHUNK];
    String tail = "";
    try {
      for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
        tail +=
            new String(
                chunk, Math.max(0, n - TAIL), Math.min(n, TAIL), StandardCharsets.ISO_8859_1);
        tail = tail.substring(Math.max(0, tail.length() - TAIL));
        if (!reserve(n)) {
          return DETACHED;
        }
        send(TerminalOutput.newBuilder().setData(ByteString.copyFrom(chunk, 0, n)).build());
      }
    } catch (IOException e) {
      LOG.debugf("terminal output ended: %s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return DETACHED;
    }
    // The last line of tmux's client.
    return isClosed() || tail.contains("[detached") ? DETACHED : ENDED;
  }

  /** Waits until the bytes may be sent; returns false when the call has ended. */
  private synchronized boolean reserve(int bytes) throws InterruptedException {
    while (!closed && onTheWay + bytes > WINDOW) {
      wait();
    }
    onTheWay += bytes;
    return !closed;
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void type(Process to, InteractiveScreen screen) {
    // Never closed before the client has ended: that would type an end of input.
    OutputStream typed = to.getOutputStream();
    try {
      while (true) {
        TerminalInput next = input.take();
        if (next.hasData()) {
          next.getData().writeTo(typed);
          typed.flush();
          int bytes = next.getData().size();
          synchronized (this) {
            waitingInput -= bytes;
          }
          send(TerminalOutput.newBuilder().setConsumed(bytes).build());
        } else if (next.hasSize()) {
          resize(to, screen, next.getSize());
        }
      }
    } catch (IOException e) {
      LOG.debugf("terminal input ended: %s", e);
    } catch (InterruptedException e) {
      // The client has ended.
      Thread.currentThread().interrupt();
    }
  }

  /** Changes the size of the client's pseudo-terminal, which notifies it. */
  private static void resize(Process script, InteractiveScreen screen, TerminalSize size)
      throws InterruptedException {
    try {
      List<Long> own = script.descendants().map(ProcessHandle::pid).toList();
      String clients =
          screen.server().text(MAX_CLIENTS, "list-clients", "-F", "#{client_pid} #{client_tty}");
      for (String line : clients.split("\n", -1)) {
        String[] fields = line.split(" ", 2);
        if (fields.length == 2 && own.contains(Long.parseLong(fields[0]))) {
          Process stty =
              new ProcessBuilder(
                      "stty",
                      "-F",
                      fields[1],
                      "rows",
                      Integer.toString(side(size.getRows(), DEFAULT_ROWS)),
                      "cols",
                      Integer.toString(side(size.getColumns(), DEFAULT_COLUMNS)))
                  .redirectErrorStream(true)
                  .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                  .start();
          if (!stty.waitFor(5, TimeUnit.SECONDS)) {
            stty.destroyForcibly();
          }
        }
      }
    } catch (IOException | NumberFormatException e) {
      LOG.warnf("terminal: its size cannot be changed: %s", e.getMessage());
    }
  }

  private synchronized void send(TerminalOutput message) {
    if (!closed && out != null) {
      out.onNext(message);
    }
  }

  private void refuse(String reason) {
    send(
        TerminalOutput.newBuilder()
            .setRefused(TerminalRefused.newBuilder().setId(request.getId()).setReason(reason))
            .build());
    end();
  }

  private void close(String reason) {
    send(
        TerminalOutput.newBuilder()
            .setClosed(TerminalClosed.newBuilder().setReason(reason))
            .build());
    end();
  }

  private synchronized void end() {
    if (!closed && out != null) {
      closed = true;
      notifyAll();
      out.onCompleted();
    }
  }

  /** The call has ended at the other side: so does the client, as a terminal that is closed. */
  private synchronized void gone() {
    closed = true;
    notifyAll();
    if (client != null) {
      client.destroyForcibly();
    }
  }

  @Override
  public void onNext(TerminalInput message) {
    boolean tooMuch = false;
    synchronized (this) {
      if (message.hasConsumed()) {
        onTheWay -= message.getConsumed();
        notifyAll();
        return;
      }
      waitingInput += message.getData().size();
      tooMuch = waitingInput > WINDOW;
    }
    if (tooMuch || !input.offer(message)) {
      LOG.warnf("run %s: a terminal sent more than may be on the way, detached", request.getRun());
      gone();
    }
  }

  @Override
  public void onError(Throwable failure) {
    LOG.debugf("terminal call ended: %s", failure);
    gone();
  }

  @Override
  public void onCompleted() {
    gone();
  }
}
