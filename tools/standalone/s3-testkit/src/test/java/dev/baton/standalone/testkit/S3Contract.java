/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.standalone.S3Access;
import dev.baton.storedoctor.BucketAddress;
import dev.baton.storedoctor.CheckOutcome;
import dev.baton.storedoctor.StoreCheck;
import dev.baton.storedoctor.StoreChecks;
import dev.baton.storedoctor.StoreDoctor;
import java.net.URI;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Baton's requirements for the S3 configured by {@code baton.object-store.*}: all of the doctor's
 * checks.
 */
abstract class S3Contract {
  /** Returns the access data of the implementation. */
  abstract S3Access access() throws Exception;

  /** Names of checks that the implementation is known not to meet. */
  Set<String> unmet() {
    return Set.of();
  }

  /** Maximum number of objects in a page of a list. */
  int pageSize() {
    return 1_000;
  }

  @TestFactory
  Stream<DynamicTest> shouldMeet() throws Exception {
    S3Access access = access();
    StoreDoctor doctor =
        new StoreDoctor(
            new BucketAddress(
                URI.create(access.endpoint()),
                access.region(),
                access.bucket(),
                access.accessKey(),
                access.secretKey()));
    long seed = new Random().nextLong();
    return new StoreChecks(seed, pageSize())
        .all().stream()
            .map(check -> DynamicTest.dynamicTest(check.name(), () -> run(doctor, check, seed)));
  }

  private void run(StoreDoctor doctor, StoreCheck check, long seed) throws Exception {
    CheckOutcome outcome = doctor.run(check);

    if (unmet().contains(check.name())) {
      assertThat(outcome.failure()).as("a check that this server does not meet").isNotNull();
    } else {
      assertThat(outcome.failure()).as("%s, seed %d", check.consequence(), seed).isNull();
    }
  }
}
