/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.replicas;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.retry.Backoff;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.pgclient.PgConnection;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Holds this replica's single connection that listens to the others and proves its liveness: it
 * holds a Postgres advisory lock, which a killed process releases at once. A replica that finds
 * another one without its lock twice in a row removes that from the Kafka groups, so that its
 * partitions move at once instead of when its sessions expire.
 *
 * <p>Reconnects when the connection breaks or does not answer for 5 s; the database then has the
 * state behind missed messages ({@link ReplicaBusReconnectedEvent}).
 */
@ApplicationScoped
public class ReplicaSession {
  private static final Logger LOG = Logger.getLogger(ReplicaSession.class);
  private static final Duration LOOK = Duration.ofMillis(200);

  /** Interval without other replicas. */
  private static final Duration LOOK_ALONE = Duration.ofMillis(500);

  /** Interval before the second check: longer than a live replica needs to reconnect. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(300);

  private static final Duration SQL = Duration.ofSeconds(5);
  private static final Duration MIN_BACKOFF = Duration.ofMillis(50);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(2);
  private static final int MOST_WAITING = 10_000;

  // A separate lock space among the database's advisory locks: "batonr".
  private static final long LOCK_SPACE = 0x6261746f6e72L;

  // Held by the replicas that sign control events, which earlier versions do not: "batons".
  private static final long SIGNING_LOCK_SPACE = 0x6261746f6e73L;

  private final OrchestratorPgPoolCreator connections;
  private final Pool pool;
  private final ReplicaBus bus;
  private final ConsumerGroupEvictor members;
  private final Event<ReplicaMessage> messages;
  private final Event<ReplicaBusReconnectedEvent> relistened;
  private final String self;
  private final String url;
  private final BlockingQueue<String> heard = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Counter lost;
  private volatile boolean listening;
  private volatile boolean overflown;
  private volatile boolean stopping;
  private volatile int others;
  private volatile boolean allSign = true;

  ReplicaSession(
      OrchestratorPgPoolCreator connections,
      Pool pool,
      ReplicaBus bus,
      ConsumerGroupEvictor members,
      Event<ReplicaMessage> messages,
      Event<ReplicaBusReconnectedEvent> relistened,
      OrchestratorConfig config,
      MeterRegistry metrics) {
    this.connections = connections;
    this.pool = pool;
    this.bus = bus;
    this.members = members;
    this.messages = messages;
    this.relistened = relistened;
    this.self = config.instanceId();
    this.url = config.orchestratorUrl().getFirst().toString();
    this.lost =
        Counter.builder("baton.replicas.lost")
            .description("dead replicas that were removed from the groups")
            .register(metrics);
    Gauge.builder("baton.replicas.others", () -> others)
        .description("other replicas")
        .register(metrics);
    Gauge.builder("baton.replicas.listening", () -> listening ? 1 : 0)
        .description("1 while this replica listens to the others")
        .register(metrics);
  }

  void onStart(@Observes @Priority(2500) StartupEvent event) {
    Thread.ofVirtual().name("replica-session").start(this::live);
    Thread.ofVirtual().name("replica-messages").start(this::pass);
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    stopping = true;
  }

  /** Whether this replica listens to the others now. */
  public boolean isListening() {
    return listening;
  }

  /** Whether the last check found no other replica. */
  public boolean isAlone() {
    return others == 0;
  }

  /**
   * Whether the last check found no replica of a version that does not sign control events. True
   * before the first check.
   */
  public boolean doAllSign() {
    return allSign;
  }

  private void live() {
    // A query on the pool first, since the pool's options are used for the single connection.
    Backoff backoff = Backoff.exponential(MIN_BACKOFF, MAX_BACKOFF);
    while (!stopping) {
      try {
        on(pool.query("SELECT 1").execute());
        session();
        backoff.reset();
      } catch (RuntimeException e) {
        if (!stopping) {
          LOG.warnf("replica session: connection lost, reconnecting: %s", e);
        }
      }
      listening = false;
      if (!stopping && !backoff.pauseUnlessInterrupted()) {
        return;
      }
    }
  }

  /** Runs until the connection breaks or this process stops. */
  private void session() {
    PgConnection connection = on(connections.single());
    try {
      connection.notificationHandler(notification -> hear(notification.getPayload()));
      on(connection.query("LISTEN " + ReplicaBus.CHANNEL).execute());
      listening = true;
      readAgain();
      Set<String> doubted = new HashSet<>();
      boolean locked = false;
      while (!stopping) {
        // Postgres may not have noticed the end of the previous process yet.
        locked = locked || lock(connection);
        if (overflown) {
          overflown = false;
          readAgain();
        }
        doubted = look(connection, doubted);
        Duration pause = !doubted.isEmpty() ? LOOK_AGAIN : others == 0 ? LOOK_ALONE : LOOK;
        if (!sleep(pause)) {
          return;
        }
      }
    } finally {
      connection.closeAndForget();
    }
  }

  private void readAgain() {
    Thread.ofVirtual()
        .name("relistened")
        .start(() -> relistened.fire(new ReplicaBusReconnectedEvent()));
  }

  private boolean lock(PgConnection connection) {
    return on(connection
            .preparedQuery(
                """
                SELECT pg_try_advisory_lock(hashtextextended($1, $2)), pg_try_advisory_lock(hashtextextended($1, $3))""")
            .execute(Tuple.of(self, LOCK_SPACE, SIGNING_LOCK_SPACE)))
        .iterator()
        .next()
        .getBoolean(0);
  }

  /** Checks the locks of the others; one without its lock in two checks in a row is dead. */
  private Set<String> look(PgConnection connection, Set<String> doubted) {
    Set<String> all = new HashSet<>();
    Set<String> without = new HashSet<>();
    boolean sign = true;
    // Postgres shows a lock's 64 bits in two halves.
    for (Row row :
        on(
            connection
                .preparedQuery(
                    """
                    WITH self AS (INSERT INTO orchestrator.replica (instance, url) VALUES ($1, $4)
                      ON CONFLICT (instance) DO NOTHING),
                    held AS (SELECT l.classid::bigint << 32 | l.objid::bigint AS lock FROM pg_locks l
                      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1)
                    SELECT r.instance, EXISTS (SELECT 1 FROM held WHERE lock = hashtextextended(r.instance, $2)) AS lives,
                      EXISTS (SELECT 1 FROM held WHERE lock = hashtextextended(r.instance, $3)) AS signs
                    FROM orchestrator.replica r WHERE r.instance <> $1""")
                .execute(Tuple.of(self, LOCK_SPACE, SIGNING_LOCK_SPACE, url)))) {
      all.add(row.getString("instance"));
      if (!row.getBoolean("lives")) {
        without.add(row.getString("instance"));
      } else if (!row.getBoolean("signs")) {
        sign = false;
      }
    }
    others = all.size();
    allSign = sign;
    for (String instance : without) {
      if (doubted.contains(instance)) {
        evict(connection, instance);
      }
    }
    return without;
  }

  private void evict(PgConnection connection, String instance) {
    LOG.infof("replica %s is dead: its partitions move to other replicas", instance);
    members.remove(instance);
    // The replica that deletes the row counts the loss; a restarted replica inserts its row again.
    if (on(connection
                .preparedQuery("DELETE FROM orchestrator.replica WHERE instance = $1")
                .execute(Tuple.of(instance)))
            .rowCount()
        > 0) {
      lost.increment();
    }
  }

  /** Runs on an event loop. */
  private void hear(String payload) {
    if (!heard.offer(payload)) {
      // The database has the state behind dropped messages.
      overflown = true;
    }
  }

  private void pass() {
    while (!stopping) {
      try {
        String payload = heard.poll(1, TimeUnit.SECONDS);
        if (payload != null) {
          bus.decode(payload).ifPresent(messages::fire);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (RuntimeException e) {
        LOG.warnf(e, "message of another replica: failed, reading the database instead");
        overflown = true;
      }
    }
  }

  private static boolean sleep(Duration time) {
    try {
      Thread.sleep(time);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
