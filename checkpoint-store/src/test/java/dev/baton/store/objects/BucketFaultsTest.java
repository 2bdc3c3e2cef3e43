/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.store.config.StoreConfig;
import dev.baton.store.testing.FaultyRelay;
import dev.baton.store.testing.StoreTest;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An endpoint that fails every tenth request, one way or another. */
@QuarkusTest
class BucketFaultsTest extends StoreTest {
  private static final int ROUNDS = 60;

  @Inject StoreConfig config;

  @Test
  void shouldGetThroughToAnEndpointThatFailsATenthOfTheRequests() throws IOException {
    long seed = new Random().nextLong();
    URI endpoint = config.objectStore().endpoint();
    try (FaultyRelay relay = new FaultyRelay(endpoint.getHost(), endpoint.getPort(), seed, 0.1)) {
      Bucket bucket = new Bucket(through(relay.port()));
      for (int i = 0; i < ROUNDS; i++) {
        String key = "faults/" + seed + "/" + i;
        byte[] bytes = ("object " + i).getBytes(UTF_8);

        assertThat(get(bucket.size(key))).as("seed %d", seed).isEmpty();
        get(bucket.put(key, bytes));
        assertThat(get(bucket.size(key)).orElse(0)).isEqualTo(bytes.length);
        try (InputStream in = bucket.open(key, 0, null)) {
          assertThat(in.readAllBytes()).as("seed %d", seed).isEqualTo(bytes);
        }
        get(bucket.remove(key));
        assertThat(get(bucket.size(key))).isEmpty();
      }

      assertThat(relay.faults()).as("seed %d", seed).isGreaterThan(ROUNDS / 10);
    }
  }

  private StoreConfig through(int port) {
    return new SmallRyeConfigBuilder()
        .addDefaultInterceptors()
        .withMapping(StoreConfig.class)
        .withDefaultValues(
            Map.of(
                "quarkus.http.port", "8082",
                "baton.object-store.endpoint", "http://127.0.0.1:" + port,
                "baton.object-store.bucket", config.objectStore().bucket(),
                "baton.object-store.access-key", config.objectStore().accessKey(),
                "baton.object-store.secret-key", config.objectStore().secretKey()))
        .build()
        .getConfigMapping(StoreConfig.class);
  }

  private static <T> T get(Uni<T> answer) {
    return answer.await().atMost(Duration.ofSeconds(60));
  }
}
