/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.gc;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.checkpoints.CheckpointCommitter;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.packs.ChunkFinder;
import dev.baton.store.packs.PackRegistration;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.packs.PackUploadRegistry;
import dev.baton.store.packs.ProjectRepository;
import dev.baton.store.testing.PackedTestTree;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Transaction;
import io.vertx.mutiny.sqlclient.Tuple;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An unreferenced pack that was last promised long ago, a runner that is about to need it again,
 * and a collector. Its requests for a deletion may reach the object store again, late. Uses the
 * statements of the store; the objects are a set of key suffixes.
 */
final class PackRaceScenario {
  private static final Duration GRACE = Duration.ofHours(24);

  private final Pool pool;
  private final int project;
  private final PackedTestTree tree;
  private final Hash digest;
  private final Set<String> objects = ConcurrentHashMap.newKeySet();
  private final Runner runner;
  private final Collector collector;

  private PackRaceScenario(
      Pool pool,
      int project,
      PackedTestTree tree,
      ChunkFinder chunks,
      PackUploadRegistry uploads,
      Random random,
      boolean careless) {
    this.pool = pool;
    this.project = project;
    this.tree = tree;
    digest = tree.packs().getFirst().ref().id();
    objects.add("");
    runner = new Runner(chunks, uploads, random.nextBoolean());
    collector = new Collector(careless);
  }

  static PackRaceScenario begin(
      Pool pool,
      ProjectRepository projects,
      ChunkFinder chunks,
      PackUploadRegistry uploads,
      Random random,
      boolean careless) {
    PackedTestTree tree = PackedTestTree.with("scenario " + random.nextLong() + RunId.next());
    int project = InterleavingTest.get(projects.number("interleaving"));
    PackRaceScenario scenario =
        new PackRaceScenario(pool, project, tree, chunks, uploads, random, careless);
    InterleavingTest.get(
        pool.withTransaction(
            tx -> PackRepository.register(tx, project, scenario.runner.run, scenario.told())));
    InterleavingTest.get(
        pool.preparedQuery(
                "UPDATE store.pack SET touched_at = now() - interval '2 days' WHERE project = $1 AND digest = $2")
            .execute(Tuple.of(project, scenario.digestValue())));
    return scenario;
  }

  Runner runner() {
    return runner;
  }

  Collector collector() {
    return collector;
  }

  private Buffer digestValue() {
    return Buffer.buffer(digest.toBytes());
  }

  private List<PackRegistration> told() {
    Pack pack = tree.packs().getFirst();
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    pack.chunks().forEach(chunk -> chunks.writeBytes(chunk.toBytes()));
    return List.of(
        new PackRegistration(
            digest, pack.ref().size(), pack.ref().indexBytes(), chunks.toByteArray()));
  }

  boolean packIsThere() {
    for (Row row :
        InterleavingTest.get(
            pool.preparedQuery(
                    "SELECT key_suffix FROM store.pack WHERE project = $1 AND digest = $2 AND state = 1")
                .execute(Tuple.of(project, digestValue())))) {
      return objects.contains(row.getString(0));
    }
    return false;
  }

  void close() {
    runner.connection.closeAndForget();
    collector.connection.closeAndForget();
  }

  /**
   * Finds the pack, or has it from its previous cut and skips the query; otherwise uploads it. Then
   * commits, and starts again with an upload if the pack has been deleted.
   */
  final class Runner implements InterleavingTest.Actor {
    private enum At {
      FIND,
      NOTE,
      PUT,
      REGISTER,
      LOCK,
      INSERT,
      COMMIT,
      DONE
    }

    private final String run = RunId.next();
    private final ChunkFinder chunks;
    private final PackUploadRegistry uploads;
    private final SqlConnection connection = InterleavingTest.get(pool.getConnection());
    private @Nullable Transaction transaction;
    private String suffix = "";
    private At at;

    Runner(ChunkFinder chunks, PackUploadRegistry uploads, boolean knowsIt) {
      this.chunks = chunks;
      this.uploads = uploads;
      at = knowsIt ? At.LOCK : At.FIND;
    }

    boolean committed() {
      return at == At.DONE;
    }

    @Override
    public boolean isDone() {
      return at == At.DONE;
    }

    @Override
    public Uni<?> step() {
      return switch (at) {
        case FIND -> find();
        case NOTE -> note();
        case PUT -> {
          objects.add(suffix);
          at = At.REGISTER;
          yield Uni.createFrom().voidItem();
        }
        case REGISTER -> register();
        case LOCK -> lock();
        case INSERT ->
            CheckpointCommitter.insertLocked(
                    connection,
                    project,
                    List.of(digest),
                    manifest(),
                    ManifestCodec.write(manifest()))
                .invoke(() -> at = At.COMMIT);
        case COMMIT -> transaction().commit().invoke(() -> at = At.DONE);
        case DONE -> throw new IllegalStateException("nothing is left to do");
      };
    }

    private Uni<?> find() {
      byte[] wanted = tree.chunks().getFirst().toBytes();
      return chunks
          .find(run, "interleaving", wanted)
          .invoke(found -> at = found.packs().isEmpty() ? At.NOTE : At.LOCK);
    }

    private Uni<?> note() {
      ObjectName name =
          new ObjectName(
              "interleaving",
              ObjectKind.PACK,
              digest.toString(),
              tree.packs().getFirst().ref().size());
      return uploads
          .note(run, List.of(name))
          .invoke(
              noted -> {
                PackUploadRegistry.NotedPack mine = Objects.requireNonNull(noted.get(digest));
                suffix = mine.keySuffix();
                at = mine.present() ? At.LOCK : At.PUT;
              });
    }

    private Uni<?> register() {
      if (!objects.contains(suffix)) {
        at = At.NOTE; // the store checks that the object exists
        return Uni.createFrom().voidItem();
      }
      return pool.withTransaction(tx -> PackRepository.register(tx, project, run, told()))
          .invoke(live -> at = live.contains(digest) ? At.LOCK : At.NOTE);
    }

    private Uni<?> lock() {
      return connection
          .begin()
          .invoke(begun -> transaction = begun)
          .chain(() -> PackRepository.lockLive(connection, project, List.of(digest)))
          .invoke(() -> at = At.INSERT)
          .onFailure(StoreRequestException.class)
          .recoverWithUni(
              () -> {
                at = At.NOTE;
                return transaction().rollback();
              });
    }

    private Transaction transaction() {
      if (transaction == null) {
        throw new IllegalStateException("no transaction was begun");
      }
      return transaction;
    }

    private Manifest manifest() {
      return tree.manifest(run, "interleaving", "flow", 1, CheckpointTrigger.STEP, Instant.EPOCH);
    }
  }

  /** Two passes of the collection over this pack. */
  final class Collector implements InterleavingTest.Actor {
    private enum At {
      CANDIDATES,
      LOCK,
      DOOM,
      COMMIT,
      DELETE_OBJECT,
      DELETE_ROW,
      LATE_DELETION,
      DONE
    }

    private final boolean careless;
    private final SqlConnection connection = InterleavingTest.get(pool.getConnection());
    private @Nullable Transaction transaction;
    private At at = At.CANDIDATES;
    private List<Long> packs = List.of();
    private String suffix = "";
    private int passes;

    /**
     * @param careless checks for references only before it locks
     */
    Collector(boolean careless) {
      this.careless = careless;
    }

    @Override
    public boolean isDone() {
      return at == At.DONE;
    }

    @Override
    public Uni<?> step() {
      return switch (at) {
        case CANDIDATES -> candidates();
        case LOCK ->
            connection
                .begin()
                .invoke(begun -> transaction = begun)
                .chain(
                    () ->
                        careless
                            ? Uni.createFrom().item(packs)
                            : PackDeletion.lock(connection, GRACE, packs))
                .invoke(locked -> next(locked, At.DOOM));
        case DOOM -> doom().invoke(doomed -> next(doomed, At.COMMIT));
        case COMMIT ->
            transaction().commit().invoke(() -> at = packs.isEmpty() ? again() : At.DELETE_OBJECT);
        case DELETE_OBJECT -> deleteObject();
        case DELETE_ROW -> deleteRow();
        case LATE_DELETION -> {
          objects.remove(suffix);
          at = again();
          yield Uni.createFrom().voidItem();
        }
        case DONE -> throw new IllegalStateException("nothing is left to do");
      };
    }

    private Uni<?> candidates() {
      String mine =
          "SELECT id FROM store.pack p WHERE project = $1 AND digest = $2 AND state <> 2"
              + " AND touched_at < now() - interval '1 day'"
              + " AND NOT EXISTS (SELECT FROM store.checkpoint_pack r WHERE r.pack = p.id)";
      return pool.preparedQuery(mine)
          .execute(Tuple.of(project, digestValue()))
          .invoke(
              rows -> {
                packs = rows.size() == 0 ? List.of() : List.of(rows.iterator().next().getLong(0));
                at = packs.isEmpty() ? again() : At.LOCK;
              });
    }

    private Uni<List<Long>> doom() {
      return careless
          ? connection
              .preparedQuery("UPDATE store.pack SET state = 2 WHERE id = $1")
              .execute(Tuple.of(packs.getFirst()))
              .replaceWith(packs)
          : PackDeletion.doomLocked(connection, packs);
    }

    private Uni<?> deleteObject() {
      return pool.preparedQuery("SELECT key_suffix FROM store.pack WHERE id = $1")
          .execute(Tuple.of(packs.getFirst()))
          .invoke(
              rows -> {
                suffix = rows.iterator().next().getString(0);
                objects.remove(suffix);
                at = At.DELETE_ROW;
              });
    }

    /**
     * A careless collector cannot delete the row of a referenced pack, but its object is already
     * gone.
     */
    private Uni<?> deleteRow() {
      return PackDeletion.deleteRow(pool, packs.getFirst())
          .onFailure(failure -> careless)
          .recoverWithNull()
          .invoke(() -> at = At.LATE_DELETION);
    }

    private void next(List<Long> left, At then) {
      packs = left;
      at = then == At.DOOM && left.isEmpty() ? At.COMMIT : then;
    }

    private At again() {
      return ++passes < 2 ? At.CANDIDATES : At.DONE;
    }

    private Transaction transaction() {
      if (transaction == null) {
        throw new IllegalStateException("no transaction was begun");
      }
      return transaction;
    }
  }
}
