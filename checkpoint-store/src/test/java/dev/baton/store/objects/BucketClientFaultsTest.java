/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.standalone.testkit.FaultyS3Proxy;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.StoreTestConfigFactory;
import io.minio.messages.Item;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Uses an endpoint that fails some of the requests in different ways. */
@QuarkusTest
class BucketClientFaultsTest extends StoreTest {
  private static final int ROUNDS = 60;
  private static final int READS = 10;

  @Inject StoreConfig config;

  @Test
  void shouldGetThroughToAnEndpointThatFailsATenthOfTheRequests() throws IOException {
    long seed = new Random().nextLong();
    try (FaultyS3Proxy faulty = new FaultyS3Proxy(config.objectStore().endpoint(), seed)) {
      faulty.fail(0.1);
      BucketClient bucket = new BucketClient(through(faulty.endpoint()));
      for (int i = 0; i < ROUNDS; i++) {
        String key = "faults/" + seed + "/" + i;
        byte[] bytes = ("object " + i).getBytes(UTF_8);

        assertThat(get(bucket.size(key))).as("seed %d", seed).isEmpty();
        get(bucket.put(key, bytes));
        assertThat(get(bucket.size(key)).orElse(0)).isEqualTo(bytes.length);
        assertThat(read(bucket, key)).as("seed %d", seed).isEqualTo(bytes);
        get(bucket.remove(key));
        assertThat(get(bucket.size(key))).isEmpty();
      }

      assertThat(faulty.faults()).as("seed %d", seed).isNotEmpty();
    }
  }

  @Test
  void shouldListEveryObjectOnceThoughAPageBreaksOff() throws IOException {
    long seed = new Random().nextLong();
    try (FaultyS3Proxy faulty = new FaultyS3Proxy(config.objectStore().endpoint(), seed)) {
      BucketClient bucket = new BucketClient(through(faulty.endpoint()));
      List<String> keys =
          IntStream.range(0, ROUNDS).mapToObj(i -> "listed/%d/%02d".formatted(seed, i)).toList();
      keys.forEach(key -> get(bucket.put(key, new byte[] {1})));
      faulty.fail(0.2);

      for (int page : new int[] {1, 7, ROUNDS, 1_000}) {
        assertThat(bucket.list("listed/" + seed + "/", page))
            .as("pages of %d, seed %d", page, seed)
            .extracting(Item::objectName)
            .containsExactlyElementsOf(keys);
      }

      assertThat(bucket.list("listed/" + seed + "/none/")).isEmpty();
      assertThat(faulty.faults()).as("seed %d", seed).isNotEmpty();
    }
  }

  /** Reads an object; repeats a read that fails, as each caller must. */
  private static byte[] read(BucketClient bucket, String key) throws IOException {
    for (int i = 1; ; i++) {
      try (InputStream in = bucket.open(key, 0, null)) {
        return in.readAllBytes();
      } catch (IOException e) {
        if (i == READS) {
          throw e;
        }
      }
    }
  }

  private StoreConfig through(URI endpoint) {
    return StoreTestConfigFactory.of(
        Map.of(
            "baton.object-store.endpoint", endpoint.toString(),
            "baton.object-store.bucket", config.objectStore().bucket(),
            "baton.object-store.access-key", config.objectStore().accessKey(),
            "baton.object-store.secret-key", config.objectStore().secretKey()));
  }

  private static <T> T get(Uni<T> answer) {
    return answer.await().atMost(Duration.ofSeconds(60));
  }
}
