/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.storedoctor.BucketAddress;
import dev.baton.storedoctor.CheckOutcome;
import dev.baton.storedoctor.StoreCheck;
import dev.baton.storedoctor.StoreChecks;
import dev.baton.storedoctor.StoreDoctor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what Baton needs of Kafka, Postgres and S3 against containers: the checks of {@code baton
 * store doctor}, and the store's own tests of its trace sink, checkpoints, transfers, garbage
 * collection and git archive.
 */
@ExtendWith(DockerEngineCondition.class)
class ServerContractTest {
  private static final int PAGE_SIZE = 1_000;
  private static final Duration STORE_BOUND = Duration.ofMinutes(15);

  /** Tests whose result depends on the servers; {@code OutageTest} kills processes instead. */
  private static final List<String> STORE_TESTS =
      List.of(
          "dev.baton.store.startup.StoreBootstrapTest",
          "dev.baton.store.trace.StoredBatchHandlerTest",
          "dev.baton.store.trace.TraceStoreConsumerTest",
          "dev.baton.store.trace.TraceOffsetGapTest",
          "dev.baton.store.trace.HomePartitionTest",
          "dev.baton.store.SnapshotTest",
          "dev.baton.store.CheckpointTest",
          "dev.baton.store.ForkTest",
          "dev.baton.store.EventStreamTest",
          "dev.baton.store.LogChunkServiceTest",
          "dev.baton.store.TransferTest",
          "dev.baton.store.MaintenanceTest",
          "dev.baton.store.ArchiveTest",
          "dev.baton.store.gc.PackGarbageCollectorTest");

  @SuppressWarnings("NullAway.Init")
  private static ServerContainerGroup servers;

  @TempDir static Path folder;

  @BeforeAll
  static void start() throws Exception {
    servers = new ServerContainerGroup(ComposeImageResolver.ofProject());
  }

  @AfterAll
  static void stop() {
    if (servers != null) {
      servers.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> shouldMeetAllRequirementsOfAnS3Server() {
    StoreDoctor doctor =
        new StoreDoctor(
            new BucketAddress(
                servers.s3Endpoint(),
                ServerContainerGroup.REGION,
                "baton-doctor",
                servers.accessKey,
                servers.secretKey));
    long seed = new Random().nextLong();
    return new StoreChecks(seed, PAGE_SIZE)
        .all().stream()
            .filter(check -> check.need() != StoreCheck.Need.OPTIONAL)
            .map(check -> DynamicTest.dynamicTest(check.name(), () -> run(doctor, check, seed)));
  }

  private static void run(StoreDoctor doctor, StoreCheck check, long seed) throws Exception {
    CheckOutcome outcome = doctor.run(check);

    assertThat(outcome.failure()).as("%s, seed %d", check.consequence(), seed).isNull();
  }

  @Test
  void shouldPassTheTestsOfTheStore() throws Exception {
    StoreTestProcess.Result result =
        StoreTestProcess.run(STORE_TESTS, servers.storeSettings(), folder, STORE_BOUND);

    System.out.println(result.summary());
    assertThat(result.exitCode()).as(result.output()).isZero();
    assertThat(result.passed()).as(result.summary()).isGreaterThan(STORE_TESTS.size());
  }
}
