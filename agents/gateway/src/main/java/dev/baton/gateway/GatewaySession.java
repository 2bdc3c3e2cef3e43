/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.boundary.BoundaryListener;
import dev.baton.gateway.boundary.BoundaryPolicy;
import dev.baton.gateway.boundary.BoundaryTracker;
import dev.baton.gateway.journal.AnswerNotation;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.journal.ReplayIndex;
import dev.baton.gateway.key.ConversationKeyBuilder;
import dev.baton.gateway.wire.AnswerMeta;
import dev.baton.gateway.wire.MalformedAnswerException;
import dev.baton.gateway.wire.ModelRequest;
import dev.baton.gateway.wire.SseEvent;
import dev.baton.gateway.wire.WireForm;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The session of one process of an agent. Its token opens the gateway for this run and epoch until
 * the session is closed. Thread-safe.
 */
public final class GatewaySession implements AutoCloseable {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SessionSpec spec;
  private final String token;
  private final ConversationKeyBuilder keys;
  private final BoundaryTracker boundaries;
  private final ReplayIndex replay;
  private final UndeliveredAnswers undelivered;
  private final Consumer<GatewaySession> onClose;
  private final List<AnswerOccurrence> open = new ArrayList<>();
  private volatile boolean closed;
  private volatile long lastRequestNanos = System.nanoTime();

  GatewaySession(
      SessionSpec spec,
      BoundaryPolicy policy,
      UndeliveredAnswers undelivered,
      Consumer<GatewaySession> onClose) {
    this.spec = spec;
    this.undelivered = undelivered;
    this.onClose = onClose;
    this.token = newToken();
    this.keys = new ConversationKeyBuilder(spec.family());
    this.boundaries =
        new BoundaryTracker(
            spec.capture(), policy, listener(spec.observer()), spec.family(), System::nanoTime);
    this.replay = new ReplayIndex(spec.answers(), spec.family());
    undelivered.forget(spec.step(), spec.answers());
  }

  private static String newToken() {
    byte[] bytes = new byte[32];
    RANDOM.nextBytes(bytes);
    return "baton-" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static BoundaryListener listener(GatewayObserver observer) {
    return new BoundaryListener() {
      @Override
      public void reached(int number, Duration took) {
        observer.boundaryReached(number, took);
      }

      @Override
      public void failed(int number, String reason) {
        observer.boundaryFailed(number, reason);
      }

      @Override
      public void unreachable(List<String> openCalls) {
        observer.boundaryUnreachable(openCalls);
      }
    };
  }

  /** The agent's key: worth nothing outside of this session. */
  public String token() {
    return token;
  }

  /** Whether an answer of a model is in progress. */
  public synchronized boolean isAnswering() {
    return open.stream().anyMatch(occurrence -> occurrence.progress().isInProgress());
  }

  /** Nanoseconds since the session's last request, or since it was opened. */
  public long quietNanos() {
    return System.nanoTime() - lastRequestNanos;
  }

  /** Compares in constant time. */
  boolean isOpenedBy(String presented) {
    return !closed
        && MessageDigest.isEqual(
            token.getBytes(StandardCharsets.UTF_8), presented.getBytes(StandardCharsets.UTF_8));
  }

  SessionSpec spec() {
    return spec;
  }

  ConversationKeyBuilder keys() {
    return keys;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * The occurrence of a request.
   *
   * @param isNew whether the model has to be called for it
   */
  record Claim(AnswerOccurrence occurrence, boolean isNew) {}

  /**
   * Finds or creates the occurrence that a request belongs to: an answer that its caller has
   * requested and does not have yet, else the oldest journaled answer that is left, else a new
   * call.
   */
  Claim claim(
      WireForm form, ModelRequest request, ObjectNode body, String conversation, int maxBytes)
      throws MalformedAnswerException {
    String key = keys.key(form, request);
    AnswerOccurrence occurrence;
    boolean isNew = false;
    String affinity = keys.affinity(request);
    int left = 0;
    lastRequestNanos = System.nanoTime();
    synchronized (this) {
      open.removeIf(known -> known.isDelivered() || known.progress().isFailed());
      for (AnswerOccurrence known : open) {
        if (known.key().equals(key) && known.conversation().equals(conversation)) {
          return new Claim(known, false);
        }
      }
      JournaledAnswer journaled = replay.take(conversation, key, affinity).orElse(null);
      AnswerOccurrence earlier = journaled == null ? undelivered.take(spec.step(), key) : null;
      if (journaled != null) {
        occurrence =
            new AnswerOccurrence(
                conversation, key, replayed(form, journaled, maxBytes), boundaries, journaled);
      } else if (earlier != null) {
        occurrence = new AnswerOccurrence(conversation, key, earlier.progress(), boundaries, null);
      } else {
        isNew = true;
        left = replay.left(conversation, affinity);
        occurrence =
            new AnswerOccurrence(
                conversation, key, new AnswerProgress(form, maxBytes), boundaries, null);
      }
      open.add(occurrence);
      occurrence.arrived(
          boundaries.arrive(
              new BoundaryTracker.ArrivingRequest(
                  conversation, key, request.resultIds(), form.id(), body),
              !isNew,
              replay.isLeftOfOthers(conversation)));
      if (earlier != null) {
        earlier.handOver(occurrence);
      }
    }
    if (left > 0) {
      spec.observer().diverged(conversation, key, left);
    }
    JournaledAnswer answer = occurrence.replayed();
    if (answer != null) {
      spec.observer().replayed(answer);
    }
    return new Claim(occurrence, isNew);
  }

  private static AnswerProgress replayed(WireForm form, JournaledAnswer journaled, int maxBytes)
      throws MalformedAnswerException {
    JsonNode answer = journaled.answer();
    if (answer == null || !journaled.form().equals(form.id())) {
      throw new MalformedAnswerException("the journaled answer has another form");
    }
    AnswerProgress progress = new AnswerProgress(form, maxBytes);
    AnswerMeta meta;
    if (AnswerNotation.isStream(answer)) {
      List<SseEvent> events = AnswerNotation.events(answer);
      for (SseEvent event : events) {
        progress.add(event, event.object());
      }
      meta = form.meta(form.assemble(events));
    } else {
      progress.setMessage(AnswerNotation.message(answer));
      meta = form.meta(AnswerNotation.message(answer));
    }
    progress.journaled(meta);
    return progress;
  }

  /**
   * Ends the session: its token opens nothing from now on. Answers that are still coming are
   * journaled; the next session of the step gets them.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      for (AnswerOccurrence occurrence : open) {
        if (!occurrence.isDelivered() && !occurrence.progress().isFailed()) {
          undelivered.keep(spec.step(), occurrence);
        }
      }
      open.clear();
    }
    boundaries.close();
    onClose.accept(this);
  }

  @Override
  public String toString() {
    return "session of run " + spec.run() + " step " + spec.step() + " epoch " + spec.epoch();
  }

  /** The name of the conversation of a request. */
  String conversation(@Nullable String caller, ModelRequest request) {
    String named = caller != null ? caller : request.cacheKey();
    return named == null ? keys.opening(request) : shortened(named);
  }

  private static String shortened(String name) {
    String clean = name.replaceAll("[^A-Za-z0-9_./:-]", "_");
    return clean.length() > 128 ? clean.substring(0, 128) : clean;
  }
}
