/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import dev.baton.standalone.S3Access;
import java.util.Set;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests another S3: {@code -Dbaton.test.s3.endpoint=URL}, with {@code .access-key}, {@code
 * .secret-key}, and {@code .bucket} and {@code .region} if they are not {@code baton} and {@code
 * us-east-1}. {@code -Dbaton.test.s3.unmet=checksum,if-none-match} names checks that it is known
 * not to meet.
 */
@EnabledIfSystemProperty(named = "baton.test.s3.endpoint", matches = "http.*")
class GivenS3Test extends S3Contract {
  private static final String PREFIX = "baton.test.s3.";

  @Override
  S3Access access() {
    return new S3Access(
        given("endpoint", ""),
        given("access-key", "baton"),
        given("secret-key", ""),
        given("bucket", "baton"),
        given("region", "us-east-1"));
  }

  @Override
  Set<String> unmet() {
    String names = given("unmet", "");
    return names.isEmpty() ? Set.of() : Set.of(names.split(",", -1));
  }

  private static String given(String name, String otherwise) {
    return System.getProperty(PREFIX + name, otherwise);
  }
}
