/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.journal.AnswerNotation;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.spend.BudgetExceededException;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.gateway.spend.TokenUsage;
import dev.baton.gateway.upstream.RetryPolicy;
import dev.baton.gateway.upstream.UpstreamClient;
import dev.baton.gateway.upstream.UpstreamException;
import dev.baton.gateway.upstream.UpstreamFailure;
import dev.baton.gateway.wire.AnswerMeta;
import dev.baton.gateway.wire.MalformedAnswerException;
import dev.baton.gateway.wire.ModelRequest;
import dev.baton.gateway.wire.SseEvent;
import dev.baton.gateway.wire.SseEventReader;
import dev.baton.gateway.wire.ToolCallRef;
import dev.baton.gateway.wire.WireErrorKind;
import dev.baton.gateway.wire.WireForm;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.retry.Backoff;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls the model for one occurrence: waits for lease and budget, sends, retries while nothing has
 * reached the agent, journals, and reports the outcome to the occurrence. Runs on a thread of its
 * own, so that an answer is journaled even when the agent has died.
 */
final class AnswerCaller implements Runnable {
  /**
   * An endpoint that sends malformed answers is not requested as often as one that is overloaded.
   */
  private static final int MAX_MALFORMED = 3;

  private static final Duration DRAIN = Duration.ofSeconds(2);
  private static final int MAX_DRAINED = 64 * 1024;
  private static final long TURN_POLL_MILLIS = 1_000;

  private final GatewaySession session;
  private final AnswerOccurrence occurrence;
  private final WireForm form;
  private final ModelRequest request;
  private final UpstreamClient.Call call;
  private final UpstreamClient client;
  private final GatewayConfig config;
  private final StallGuard stalls;
  private final AnswerProgress progress;

  AnswerCaller(
      GatewaySession session,
      AnswerOccurrence occurrence,
      WireForm form,
      ModelRequest request,
      UpstreamClient.Call call,
      UpstreamClient client,
      GatewayConfig config,
      StallGuard stalls) {
    this.session = session;
    this.occurrence = occurrence;
    this.form = form;
    this.request = request;
    this.call = call;
    this.client = client;
    this.config = config;
    this.stalls = stalls;
    this.progress = occurrence.progress();
  }

  /** An answer that has ended before its end. */
  private static final class BrokenOffException extends IOException {
    private static final long serialVersionUID = 1L;

    BrokenOffException(String message) {
      super(message);
    }
  }

  @Override
  public void run() {
    try {
      if (!isLeaseHeld()) {
        return;
      }
      SpendLedger.Reservation reservation =
          session
              .spec()
              .ledger()
              .reserve(request.model(), call.body().length, request.maxOutput(), session::isClosed);
      try {
        callWithRetries(reservation);
      } finally {
        reservation.release();
      }
    } catch (BudgetExceededException e) {
      session.spec().observer().budgetStopped(e.budget(), String.valueOf(e.getMessage()));
      fail(AnswerFailure.of(WireErrorKind.BUDGET, String.valueOf(e.getMessage())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(AnswerFailure.of(WireErrorKind.UNAVAILABLE, "the gateway is closing"));
    } catch (IOException e) {
      fail(AnswerFailure.of(WireErrorKind.UNAVAILABLE, String.valueOf(e.getMessage())));
    } catch (RuntimeException e) {
      fail(AnswerFailure.of(WireErrorKind.UPSTREAM, "internal error of the gateway: " + e));
      throw e;
    }
  }

  private void fail(AnswerFailure failure) {
    progress.fail(failure);
    occurrence.newest().end();
  }

  private boolean isLeaseHeld() throws InterruptedException {
    return switch (session.spec().lease().await(config.leasePatience())) {
      case HELD -> true;
      case SUSPENDED -> {
        fail(
            AnswerFailure.of(
                WireErrorKind.UNAVAILABLE, "the runner's lease is suspended; retry later"));
        yield false;
      }
      case FENCED -> {
        fail(
            AnswerFailure.of(
                WireErrorKind.FORBIDDEN, "epoch " + session.spec().epoch() + " is fenced"));
        yield false;
      }
    };
  }

  private void callWithRetries(SpendLedger.Reservation reservation)
      throws IOException, InterruptedException {
    RetryPolicy retries = config.retries();
    Backoff backoff = Backoff.exponential(retries.first(), retries.longest());
    long end = System.nanoTime() + retries.maxTime().toNanos();
    int malformed = 0;
    for (int attempt = 1; ; attempt++) {
      String reason;
      UpstreamFailure failure;
      Duration requested = Duration.ZERO;
      boolean retryable;
      try {
        attempt(reservation);
        return;
      } catch (UpstreamException e) {
        failure = e.failure();
        reason = failure.reason();
        retryable = e.isRetryable();
        requested = e.retryAfter();
      } catch (MalformedAnswerException e) {
        reason = "malformed answer of the endpoint: " + e.getMessage();
        failure = null;
        retryable = ++malformed < MAX_MALFORMED;
      } catch (BrokenOffException e) {
        reason = "the answer broke off: " + e.getMessage();
        failure = null;
        retryable = true;
      }
      boolean started = recordBroken();
      if (!progress.restart()) {
        session.spec().observer().brokenOff(occurrence.conversation(), reason);
        fail(new AnswerFailure(WireErrorKind.UPSTREAM, reason, failure, true));
        return;
      }
      if (started) {
        // The answer that broke off is paid: the next one needs the budget too.
        try {
          session.spec().ledger().check();
        } catch (BudgetExceededException e) {
          session.spec().observer().budgetStopped(e.budget(), String.valueOf(e.getMessage()));
          fail(AnswerFailure.of(WireErrorKind.BUDGET, String.valueOf(e.getMessage())));
          return;
        }
      }
      Duration delay = backoff.next();
      delay = delay.compareTo(requested) < 0 ? Backoff.jittered(requested).plus(requested) : delay;
      if (!retryable
          || attempt >= retries.maxAttempts()
          || System.nanoTime() + delay.toNanos() - end > 0
          || session.isClosed()) {
        fail(new AnswerFailure(WireErrorKind.UPSTREAM, exhausted(reason, attempt), failure, false));
        return;
      }
      session.spec().observer().retried(occurrence.conversation(), attempt, reason, delay);
      TimeUnit.NANOSECONDS.sleep(delay.toNanos());
      if (!isLeaseHeld()) {
        return;
      }
    }
  }

  private static String exhausted(String reason, int attempts) {
    return "model endpoint: " + reason + (attempts > 1 ? " (" + attempts + " attempts)" : "");
  }

  private void attempt(SpendLedger.Reservation reservation)
      throws IOException, InterruptedException {
    long from = System.nanoTime();
    ObjectNode answer;
    String requestId;
    UpstreamClient.Response response = client.send(call);
    boolean read = false;
    try {
      String id = response.header("request-id");
      requestId = id.isEmpty() ? response.header("x-request-id") : id;
      answer =
          request.stream() && response.header("content-type").startsWith("text/event-stream")
              ? readEvents(response)
              : readMessage(response);
      read = true;
    } finally {
      if (read) {
        // A connection whose body has been read to its end serves the next request.
        Thread.ofVirtual().name("model-drain").start(() -> drain(response));
      } else {
        response.close();
      }
    }
    AnswerMeta meta = form.meta(answer);
    long millis = (System.nanoTime() - from) / 1_000_000;
    journal(reservation, meta, answer, requestId.isEmpty() ? null : requestId, millis);
  }

  private void drain(UpstreamClient.Response response) {
    try (response;
        StallGuard.Watch watch = stalls.watch(DRAIN)) {
      response.body().skipNBytes(MAX_DRAINED);
      watch.progress();
    } catch (IOException e) {
      // The end of the body, or a connection that is closed: the answer is complete in any case.
    }
  }

  private ObjectNode readMessage(UpstreamClient.Response response) throws IOException {
    byte[] body;
    try (StallGuard.Watch watch = stalls.watch(config.limits().idle())) {
      try {
        body = client.body(response);
      } catch (IOException e) {
        throw new BrokenOffException(
            watch.isStalled() ? "no data in time" : String.valueOf(e.getMessage()));
      }
    }
    try {
      if (Json.parsedTree(body) instanceof ObjectNode message) {
        form.meta(message);
        progress.setMessage(message);
        return message;
      }
    } catch (JsonProcessingException e) {
      // The message of the parser quotes the answer.
      throw new MalformedAnswerException("it is neither a stream of events nor JSON");
    }
    throw new MalformedAnswerException("it is not a JSON object");
  }

  private ObjectNode readEvents(UpstreamClient.Response response) throws IOException {
    SseEventReader reader = new SseEventReader(response.body(), config.limits().maxAnswerBytes());
    try (StallGuard.Watch watch = stalls.watch(config.limits().idle())) {
      while (true) {
        SseEvent event;
        try {
          event = reader.next();
        } catch (MalformedAnswerException e) {
          throw e;
        } catch (IOException e) {
          throw new BrokenOffException(
              watch.isStalled() ? "no event in time" : String.valueOf(e.getMessage()));
        }
        watch.progress();
        if (event == null) {
          break;
        }
        if (add(event)) {
          break;
        }
      }
    }
    List<SseEvent> events = progress.events();
    if (!form.isComplete(events)) {
      throw new BrokenOffException("the stream ended without the end of the answer");
    }
    return form.assemble(events);
  }

  /** Adds an event; returns whether it is the last one. */
  private boolean add(SseEvent event) throws IOException {
    ObjectNode data = event.object();
    if (form.isKeepAlive(event)) {
      return false;
    }
    if (form.isError(event, data)) {
      progress.setErrorEvent(event);
      throw new BrokenOffException("the endpoint reported an error in the stream");
    }
    if (data == null && !form.isLast(event)) {
      throw new MalformedAnswerException("the data of an event is not a JSON object");
    }
    progress.add(event, data);
    return form.isLast(event);
  }

  /** Journals the cost of an answer that broke off; returns whether there was a part of one. */
  private boolean recordBroken() throws IOException, InterruptedException {
    List<SseEvent> events = progress.events();
    if (events.isEmpty()) {
      return false;
    }
    TokenUsage usage = form.partialUsage(events);
    BigDecimal cost = session.spec().ledger().cost(request.model(), usage).orElse(null);
    session.spec().ledger().count(occurrence.conversation(), usage, cost);
    session.spec().journal().append(entry(null, null, usage, cost, 0, List.of()));
    return true;
  }

  private void journal(
      SpendLedger.Reservation reservation,
      AnswerMeta meta,
      ObjectNode answer,
      @Nullable String requestId,
      long millis)
      throws IOException, InterruptedException {
    SpendLedger ledger = session.spec().ledger();
    String answered = meta.model();
    BigDecimal cost =
        (answered == null
                ? ledger.cost(request.model(), meta.usage())
                : ledger.cost(answered, meta.usage()))
            .or(() -> ledger.cost(request.model(), meta.usage()))
            .orElse(null);
    reservation.settle(occurrence.conversation(), meta.usage(), cost);
    List<SseEvent> events = progress.events();
    JournaledAnswer entry =
        entry(
            events.isEmpty()
                ? AnswerNotation.ofMessage(answer)
                : AnswerNotation.ofEvents(form.compact(events)),
            requestId,
            meta.usage(),
            cost,
            millis,
            meta.calls().stream().map(ToolCallRef::name).toList());
    awaitTurn();
    session.spec().journal().append(entry);
    progress.journaled(meta);
    session.spec().observer().answered(entry);
  }

  /**
   * Waits until no capture is running in the session that gives the answer, which may be a later
   * one than the session that has requested it, and keeps captures away until the agent has it.
   */
  private void awaitTurn() throws InterruptedException {
    while (true) {
      // The bounds on waits for boundaries and on captures end this loop.
      AnswerOccurrence giver = occurrence.newest();
      if (giver.begin(TURN_POLL_MILLIS)) {
        if (giver == occurrence.newest()) {
          return;
        }
        giver.end();
      }
    }
  }

  private JournaledAnswer entry(
      @Nullable ObjectNode answer,
      @Nullable String requestId,
      @Nullable TokenUsage usage,
      @Nullable BigDecimal cost,
      long millis,
      List<String> tools) {
    return new JournaledAnswer(
        session.spec().step(),
        occurrence.conversation(),
        occurrence.key(),
        session.keys().affinity(request),
        form.id(),
        request.model(),
        answer,
        requestId,
        usage,
        cost,
        millis,
        tools);
  }

  /** The headers of a failure that the agent gets. */
  static Map<String, String> headers(@Nullable UpstreamFailure failure) {
    return failure == null ? Map.of() : failure.headers();
  }
}
