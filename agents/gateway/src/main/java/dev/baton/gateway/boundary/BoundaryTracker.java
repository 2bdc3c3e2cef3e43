/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.boundary;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.wire.ToolCallRef;
import dev.baton.protocol.retry.Backoff;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the boundaries of a session: a request has come, no tool call of any conversation is open,
 * and no answer is on its way to the agent. Then it captures, and holds all answers during the
 * capture.
 *
 * <p>A call is open from the answer that contains it until a request contains its result. An answer
 * is on its way from its first byte, or from the moment at which it is journaled, until it is
 * delivered. So what the log contains after the checkpoint of a boundary is exactly what the agent
 * does not have in the captured state.
 *
 * <p>Other conversations and calls may keep a boundary away. After a while, the next requests wait
 * until the others are at rest too, unless an open call has started their conversation or waits for
 * it: that call ends only after them. Thread-safe.
 */
public final class BoundaryTracker implements AutoCloseable {
  private static final int MAX_CONVERSATIONS = 4_096;
  private static final Duration LONGEST_PATIENCE = Duration.ofMinutes(10);

  private final BoundaryCapture capture;
  private final BoundaryPolicy policy;
  private final BoundaryListener listener;
  private final SubAgentTools subAgentTools;
  private final LongSupplier nanos;

  private final List<OpenCall> open = new ArrayList<>();
  private final Set<Delivery> onTheWay = new HashSet<>();
  private final Map<String, Set<OpenCall>> parents =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Set<OpenCall>> eldest) {
          return size() > MAX_CONVERSATIONS;
        }
      };
  private final List<Arrival> waiting = new ArrayList<>();
  private @Nullable CompletableFuture<Void> running;
  private int number;
  private int unreachable;
  private long since;

  /** Whether a sub-agent was started that no boundary contains. */
  private boolean hasUncapturedStart;

  private boolean ended;

  private static final class OpenCall {
    final String id;
    final String name;
    final String conversation;

    OpenCall(String id, String name, String conversation) {
      this.id = id;
      this.name = name;
      this.conversation = conversation;
    }
  }

  /** An answer on its way to the agent. */
  public static final class Delivery {
    private final String conversation;
    private final String key;
    private final List<OpenCall> calls = new ArrayList<>();

    /**
     * @param key of the request
     */
    public Delivery(String conversation, String key) {
      this.conversation = conversation;
      this.key = key;
    }
  }

  /**
   * A request that comes.
   *
   * @param results ids of the calls whose results it contains
   * @param form id of its form
   */
  public record ArrivingRequest(
      String conversation, String key, Set<String> results, String form, ObjectNode body) {
    public ArrivingRequest {
      results = Set.copyOf(results);
    }

    BoundaryPoint at(int number, List<String> lastCalls) {
      return new BoundaryPoint(number, conversation, key, lastCalls, form, body);
    }
  }

  /** A request that has come; its answer is held until the boundary is captured or given up. */
  public static final class Arrival {
    private final BoundaryPoint point;
    private final CompletableFuture<Void> done;

    private Arrival(BoundaryPoint point, CompletableFuture<Void> done) {
      this.point = point;
      this.done = done;
    }

    /** Whether the answer may be given. */
    public boolean isDone() {
      return done.isDone();
    }

    /**
     * Waits until the answer may be given, at most for {@code millis}.
     *
     * @return whether it may
     */
    public boolean await(long millis) throws InterruptedException {
      try {
        done.get(millis, TimeUnit.MILLISECONDS);
        return true;
      } catch (TimeoutException e) {
        return false;
      } catch (ExecutionException | CancellationException e) {
        throw new IllegalStateException("boundary: never completes exceptionally", e);
      }
    }

    /** Waits until the answer may be given. */
    public void await() throws InterruptedException {
      try {
        done.get();
      } catch (ExecutionException | CancellationException e) {
        throw new IllegalStateException("boundary: never completes exceptionally", e);
      }
    }
  }

  /**
   * @param subAgentTools of the agent, for sub-agents beside the conversation
   * @param nanos monotonic clock in nanoseconds
   */
  public BoundaryTracker(
      BoundaryCapture capture,
      BoundaryPolicy policy,
      BoundaryListener listener,
      SubAgentTools subAgentTools,
      LongSupplier nanos) {
    this.capture = capture;
    this.policy = policy;
    this.listener = listener;
    this.subAgentTools = subAgentTools;
    this.nanos = nanos;
    this.since = nanos.getAsLong();
  }

  /**
   * Registers a request.
   *
   * @param replay whether its answer comes from the journal; it starts no capture then, so that the
   *     journaled answers keep following the older checkpoint
   * @param othersReplay whether other conversations have journaled answers left; the first boundary
   *     waits for them as long as for open calls, since they would be behind its checkpoint
   */
  public Arrival arrive(ArrivingRequest request, boolean replay, boolean othersReplay) {
    String conversation = request.conversation();
    String key = request.key();
    List<String> closed = new ArrayList<>();
    Arrival arrival;
    CompletableFuture<Void> started = null;
    List<String> kept = List.of();
    synchronized (this) {
      if (parents.isEmpty()) {
        since = nanos.getAsLong();
      }
      close(conversation, key, request.results(), closed);
      parents.computeIfAbsent(conversation, c -> new HashSet<>(open));
      BoundaryPoint point = request.at(number + 1, closed);
      CompletableFuture<Void> now = running;
      if (replay || ended) {
        arrival = new Arrival(point, CompletableFuture.completedFuture(null));
      } else if (now != null) {
        arrival = new Arrival(point, now);
      } else if (atRest() && (number > 0 || !othersReplay || isOverdue())) {
        started = start();
        arrival = new Arrival(point, started);
      } else if (!atRest() && (hasUncapturedStart || isOverdue())) {
        if (hasOpenParent(conversation)) {
          arrival = new Arrival(point, CompletableFuture.completedFuture(null));
          kept = giveUp();
        } else {
          arrival = new Arrival(point, new CompletableFuture<>());
          waiting.add(arrival);
          limitWait(arrival);
        }
      } else {
        arrival = new Arrival(point, CompletableFuture.completedFuture(null));
      }
    }
    if (started != null) {
      run(arrival.point, started);
    }
    if (!kept.isEmpty()) {
      listener.unreachable(kept);
    }
    return arrival;
  }

  private void close(String conversation, String key, Set<String> results, List<String> closed) {
    Set<String> counted = new HashSet<>();
    open.removeIf(
        call -> {
          // Two conversations that were given the same answer have the same call: one result each.
          boolean ends =
              results.contains(call.id)
                  && (call.conversation.equals(conversation) || !isOpen(call.id, conversation))
                  && counted.add(call.id);
          if (ends) {
            closed.add(call.id);
          }
          return ends;
        });
    // The conversation has continued without an answer that did not arrive.
    onTheWay.removeIf(
        delivery -> {
          boolean given = delivery.conversation.equals(conversation) && !delivery.key.equals(key);
          if (given) {
            open.removeAll(delivery.calls);
          }
          return given;
        });
  }

  private boolean isOpen(String id, String conversation) {
    return open.stream()
        .anyMatch(call -> call.id.equals(id) && call.conversation.equals(conversation));
  }

  private boolean atRest() {
    return open.isEmpty() && onTheWay.isEmpty();
  }

  private boolean isOverdue() {
    Duration patience =
        unreachable == 0 || policy.patience().isZero()
            ? policy.patience()
            : Backoff.bound(
                policy.patience(),
                policy.patience().compareTo(LONGEST_PATIENCE) > 0
                    ? policy.patience()
                    : LONGEST_PATIENCE,
                unreachable + 1);
    return nanos.getAsLong() - since >= patience.toNanos();
  }

  private boolean hasOpenParent(String conversation) {
    Set<OpenCall> started = parents.getOrDefault(conversation, Set.of());
    return open.stream()
        .filter(call -> !call.conversation.equals(conversation))
        .anyMatch(
            call ->
                subAgentTools.areBeside()
                    ? subAgentTools.isWait(call.name)
                    : started.contains(call));
  }

  /** Ends the waits; the names of the calls that are open. */
  private List<String> giveUp() {
    unreachable++;
    hasUncapturedStart = false;
    since = nanos.getAsLong();
    List<Arrival> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(arrival -> arrival.done.completeAsync(() -> null));
    List<String> kept =
        new ArrayList<>(open.stream().map(call -> call.name + " (" + call.id + ")").toList());
    onTheWay.forEach(delivery -> kept.add("an answer to " + delivery.conversation));
    return kept;
  }

  private void limitWait(Arrival arrival) {
    CompletableFuture.delayedExecutor(policy.maxWait().toMillis(), TimeUnit.MILLISECONDS)
        .execute(
            () -> {
              List<String> kept;
              synchronized (this) {
                if (!waiting.contains(arrival)) {
                  return;
                }
                kept = giveUp();
              }
              listener.unreachable(kept);
            });
  }

  private CompletableFuture<Void> start() {
    number++;
    hasUncapturedStart = false;
    CompletableFuture<Void> started = new CompletableFuture<>();
    running = started;
    for (Arrival arrival : waiting) {
      started.whenComplete((nothing, e) -> arrival.done.complete(null));
    }
    waiting.clear();
    return started;
  }

  private void run(BoundaryPoint point, CompletableFuture<Void> started) {
    Thread.ofVirtual().name("boundary-" + point.number()).start(() -> captured(point, started));
  }

  private void captured(BoundaryPoint point, CompletableFuture<Void> started) {
    long from = nanos.getAsLong();
    String problem = null;
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              capture.capture(point);
              return null;
            });
    Thread.ofVirtual().name("capture-" + point.number()).start(task);
    try {
      task.get(policy.maxCapture().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      task.cancel(true);
      problem = "it took longer than " + policy.maxCapture();
    } catch (InterruptedException e) {
      task.cancel(true);
      problem = "it was interrupted";
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      problem =
          cause instanceof IOException ? String.valueOf(cause.getMessage()) : cause.toString();
    }
    synchronized (this) {
      running = null;
      since = nanos.getAsLong();
      unreachable = 0;
      notifyAll();
    }
    if (problem == null) {
      listener.reached(point.number(), Duration.ofNanos(nanos.getAsLong() - from));
    } else {
      listener.failed(point.number(), problem);
    }
    started.complete(null);
  }

  /**
   * Registers an answer as on its way, unless a capture is running. Repeating it has no effect.
   *
   * @return false while a capture is running; call again after {@link #awaitChange}
   */
  public synchronized boolean begin(Delivery delivery) {
    if (running != null && !onTheWay.contains(delivery)) {
      return false;
    }
    onTheWay.add(delivery);
    return true;
  }

  /** Waits for a change, at most for {@code millis}. */
  public synchronized void awaitChange(long millis) throws InterruptedException {
    if (running != null) {
      wait(millis);
    }
  }

  /**
   * Ends the waits of all requests: no agent is left that could bring a boundary about. Answers
   * that are still coming can be journaled at once then.
   */
  @Override
  public void close() {
    List<Arrival> all;
    synchronized (this) {
      ended = true;
      all = List.copyOf(waiting);
      waiting.clear();
    }
    all.forEach(arrival -> arrival.done.complete(null));
  }

  /** Registers the calls of an answer as open, before the agent can have them. */
  public synchronized void opened(Delivery delivery, List<ToolCallRef> calls) {
    for (ToolCallRef call : calls) {
      OpenCall added = new OpenCall(call.id(), call.name(), delivery.conversation);
      open.add(added);
      hasUncapturedStart |= subAgentTools.isStart(call.name());
      delivery.calls.add(added);
    }
  }

  /** Ends a delivery: the agent has the answer, or there is none. */
  public void end(Delivery delivery) {
    Arrival first = null;
    CompletableFuture<Void> started = null;
    synchronized (this) {
      onTheWay.remove(delivery);
      if (running == null && !waiting.isEmpty() && atRest()) {
        first = waiting.getFirst();
        started = start();
      }
    }
    if (started != null && first != null) {
      run(first.point.at(numberNow()), started);
    }
  }

  private synchronized int numberNow() {
    return number;
  }
}
