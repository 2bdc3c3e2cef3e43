/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.wire.AnswerMeta;
import dev.baton.gateway.wire.MalformedAnswerException;
import dev.baton.gateway.wire.SseEvent;
import dev.baton.gateway.wire.ToolCallRef;
import dev.baton.gateway.wire.WireForm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One answer, from the first event of the endpoint to the acknowledgement of the journal. One
 * thread fills it; any number of deliveries read it. Events pass at once, but those from the first
 * one with which an agent could start a tool, or which ends the answer, are held until the answer
 * is journaled.
 *
 * <pre>
 * empty ──add──► partial ──complete──► complete ──journaled──► journaled
 *   ▲              │ restart (nothing has been read)
 *   └──────────────┘           fail: any state but journaled ──► failed
 * </pre>
 *
 * <p>Thread-safe.
 */
final class AnswerProgress {
  private final WireForm form;
  private final int maxBytes;
  private final List<SseEvent> events = new ArrayList<>();
  private final Set<Integer> callParts = new HashSet<>();
  private @Nullable ObjectNode message;
  private @Nullable AnswerMeta meta;
  private @Nullable AnswerFailure failure;
  private @Nullable SseEvent errorEvent;
  private int held = Integer.MAX_VALUE;
  private long bytes;
  private boolean stream;
  private boolean read;
  private boolean journaled;

  AnswerProgress(WireForm form, int maxBytes) {
    this.form = form;
    this.maxBytes = maxBytes;
  }

  /** What a delivery reads next. */
  sealed interface Part {
    /**
     * An event.
     *
     * @param held whether it is one of those that were held
     */
    record Event(SseEvent event, boolean held) implements Part {}

    /** Nothing within the time. */
    record Silence() implements Part {}

    /** The answer has been read. */
    record End() implements Part {}

    /** The answer has failed, or broken off. */
    record Failed(AnswerFailure failure) implements Part {}
  }

  synchronized void add(SseEvent event, @Nullable ObjectNode data) throws MalformedAnswerException {
    bytes += event.data().length() + 32L;
    if (bytes > maxBytes) {
      throw new MalformedAnswerException("the answer is larger than " + maxBytes + " bytes");
    }
    stream = true;
    if (held == Integer.MAX_VALUE
        && (data != null && form.completesCall(data, callParts) || form.isFinal(event, data))) {
      held = events.size();
    }
    events.add(event);
    notifyAll();
  }

  synchronized List<SseEvent> events() {
    return List.copyOf(events);
  }

  /** Discards what there is, to request the answer again; false when a part of it has been read. */
  synchronized boolean restart() {
    if (read) {
      return false;
    }
    events.clear();
    callParts.clear();
    held = Integer.MAX_VALUE;
    bytes = 0;
    stream = false;
    message = null;
    errorEvent = null;
    return true;
  }

  /**
   * Keeps the event with which the endpoint ended the stream: it reaches the agent word for word.
   */
  synchronized void setErrorEvent(SseEvent event) {
    errorEvent = event;
  }

  synchronized @Nullable SseEvent errorEvent() {
    return errorEvent;
  }

  /** Sets the answer of a request without streaming. */
  synchronized void setMessage(ObjectNode answer) {
    message = answer;
    stream = false;
  }

  synchronized void journaled(AnswerMeta complete) {
    meta = complete;
    journaled = true;
    notifyAll();
  }

  synchronized void fail(AnswerFailure reason) {
    if (!journaled && failure == null) {
      failure = reason;
      notifyAll();
    }
  }

  synchronized boolean isFailed() {
    return failure != null;
  }

  /** Whether the model, or the log, still works on the answer. */
  synchronized boolean isInProgress() {
    return !journaled && failure == null;
  }

  /** Whether there is a part of the answer that could be given. */
  synchronized boolean hasPart() {
    return journaled || !events.isEmpty() && held > 0;
  }

  /** The calls of a journaled answer. */
  synchronized List<ToolCallRef> calls() {
    return meta == null ? List.of() : meta.calls();
  }

  /**
   * Reads the event at an index of a stream, waiting at most for {@code millis}. An answer that was
   * requested without streaming is split into events.
   *
   * @param permitted whether answers may be given now; otherwise it only waits for the first event
   *     or a failure
   */
  synchronized Part next(int index, boolean permitted, long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    while (true) {
      if (failure != null) {
        return new Part.Failed(failure);
      }
      if (permitted && journaled && !stream && message != null) {
        events.addAll(form.split(message));
        stream = true;
        held = 0;
      }
      if (permitted && index < events.size() && (index < held || journaled)) {
        read = true;
        return new Part.Event(events.get(index), index >= held);
      }
      if (journaled && permitted) {
        return new Part.End();
      }
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0 || !permitted && hasPart()) {
        return new Part.Silence();
      }
      wait(left);
    }
  }

  /** Waits until the answer is journaled or has failed, at most for {@code millis}. */
  synchronized boolean awaitEnd(long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    while (!journaled && failure == null) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  synchronized @Nullable AnswerFailure failure() {
    return failure;
  }

  /** The journaled answer as it is without streaming. */
  synchronized ObjectNode whole() throws MalformedAnswerException {
    read = true;
    ObjectNode known = message;
    return known != null ? known : form.assemble(events);
  }
}
