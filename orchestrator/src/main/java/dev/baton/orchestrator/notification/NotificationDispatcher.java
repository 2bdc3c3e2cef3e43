/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.notification;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.notification.WebhookClient.Outcome;
import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.retry.Backoff;
import dev.baton.server.PeriodicTask;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Delivers notifications, at least once. A replica claims a row for 20 s; if it dies, another
 * replica delivers the row, possibly again. A failed delivery is retried with exponential backoff
 * for three days.
 */
@ApplicationScoped
class NotificationDispatcher {
  private static final Logger LOG = Logger.getLogger(NotificationDispatcher.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int MOST = 20;

  /** Longer than an attempt. */
  private static final Duration CLAIM = Duration.ofSeconds(20);

  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofDays(3);
  private static final int MAX_ERROR = 500;

  private static final String CLAIMED =
      """
      UPDATE orchestrator.notification SET attempts = attempts + 1,
        not_before = now() + $2::bigint * interval '1 millisecond'
      WHERE (id, channel) IN (SELECT id, channel FROM orchestrator.notification
        WHERE status = 'pending' AND not_before <= now() AND ($3 OR channel <> 'webhook')
        ORDER BY not_before LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING id, channel, run, event, body, attempts,
        created_at < now() - $4::bigint * interval '1 millisecond' AS overdue""";

  private static final String END =
      """
      UPDATE orchestrator.notification SET status = $3, last_error = $4, ended_at = now()
      WHERE id = $1 AND channel = $2 AND status = 'pending'""";

  private static final String AGAIN =
      """
      UPDATE orchestrator.notification SET last_error = $3,
        not_before = now() + $4::bigint * interval '1 millisecond'
      WHERE id = $1 AND channel = $2 AND status = 'pending'""";

  private record Owed(
      String id,
      String channel,
      String run,
      String event,
      String body,
      int attempts,
      boolean overdue) {}

  private final Pool pool;
  private final KafkaEventPublisher publisher;
  private final @Nullable WebhookClient webhook;
  private final Duration firstPause;
  private final Counter delivered;
  private final Counter failed;
  private final Counter givenUp;
  private final AtomicLong pending = new AtomicLong();
  private final PeriodicTask delivering =
      new PeriodicTask(
          "notifications", POLL, "notifications: round failed, retrying", this::deliverAll);

  NotificationDispatcher(
      Pool pool, KafkaEventPublisher publisher, OrchestratorConfig config, MeterRegistry metrics) {
    this.pool = pool;
    this.publisher = publisher;
    this.webhook =
        WebhookClient.of(config.notifications().webhook(), config.tls().settings()).orElse(null);
    this.firstPause = config.notifications().webhook().retry();
    delivered =
        Counter.builder("baton.notifications.delivered")
            .description("notifications delivered to their receiver")
            .register(metrics);
    failed =
        Counter.builder("baton.notifications.failed")
            .description("failed attempts to deliver a notification")
            .register(metrics);
    givenUp =
        Counter.builder("baton.notifications.given.up")
            .description("notifications that failed for three days, or were refused")
            .register(metrics);
    Gauge.builder("baton.notifications.pending", pending, AtomicLong::get)
        .description("undelivered notifications of all replicas")
        .register(metrics);
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    delivering.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    delivering.stop();
    if (webhook != null) {
      webhook.close();
    }
  }

  private void deliverAll() throws InterruptedException {
    int claimed;
    do {
      claimed = round();
    } while (claimed == MOST && !delivering.isStopping());
  }

  /** Returns the number of claimed rows. */
  private int round() throws InterruptedException {
    List<Owed> owed = new ArrayList<>();
    for (Row row :
        on(
            pool.preparedQuery(CLAIMED)
                .execute(Tuple.of(MOST, CLAIM.toMillis(), webhook != null, PATIENCE.toMillis())))) {
      owed.add(
          new Owed(
              row.getString("id"),
              row.getString("channel"),
              row.getString("run"),
              row.getString("event"),
              row.getString("body"),
              row.getInteger("attempts"),
              row.getBoolean("overdue")));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      owed.forEach(one -> threads.execute(() -> deliver(one)));
    }
    pending.set(
        on(pool.query("SELECT count(*) FROM orchestrator.notification WHERE status = 'pending'")
                .execute())
            .iterator()
            .next()
            .getLong(0));
    return owed.size();
  }

  private void deliver(Owed owed) {
    try {
      settle(owed, attempt(owed));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The claim expires.
    } catch (RuntimeException e) {
      if (!delivering.isStopping()) {
        LOG.warnf("notification %s (%s): failed, retrying: %s", owed.id(), owed.channel(), e);
      }
    }
  }

  private Outcome attempt(Owed owed) throws InterruptedException {
    if (owed.channel().equals("webhook") && webhook != null) {
      return webhook.post(owed.id(), owed.body());
    }
    try {
      publisher
          .notification(owed.id(), owed.event(), owed.run(), owed.body())
          .get(WebhookClient.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      return new Outcome.Delivered();
    } catch (ExecutionException | TimeoutException e) {
      return new Outcome.Failed("Kafka: " + (e.getCause() == null ? e : e.getCause()));
    }
  }

  private void settle(Owed owed, Outcome outcome) {
    switch (outcome) {
      case Outcome.Delivered done -> {
        delivered.increment();
        end(owed, "delivered", null);
      }
      case Outcome.Refused(String why) -> giveUp(owed, why);
      case Outcome.Failed(String why) -> {
        failed.increment();
        if (owed.overdue()) {
          giveUp(owed, why);
        } else {
          Duration pause = Backoff.delay(firstPause, LONGEST_PAUSE, Math.max(1, owed.attempts()));
          LOG.warnf(
              "notification %s (%s): attempt %d failed: %s; retrying in %d s",
              owed.id(), owed.channel(), owed.attempts(), why, pause.toSeconds());
          on(
              pool.preparedQuery(AGAIN)
                  .execute(Tuple.of(owed.id(), owed.channel(), shorten(why), pause.toMillis())));
        }
      }
    }
  }

  private void giveUp(Owed owed, String why) {
    givenUp.increment();
    LOG.errorf("notification %s (%s): failed permanently: %s", owed.id(), owed.channel(), why);
    end(owed, "failed", shorten(why));
  }

  private void end(Owed owed, String status, @Nullable String why) {
    on(pool.preparedQuery(END).execute(Tuple.of(owed.id(), owed.channel(), status, why)));
  }

  private static String shorten(String why) {
    return TextShortener.shorten(why, MAX_ERROR);
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
