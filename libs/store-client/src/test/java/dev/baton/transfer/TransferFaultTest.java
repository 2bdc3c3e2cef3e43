/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import static dev.baton.transfer.FaultyObjectServer.answer;
import static dev.baton.transfer.FaultyObjectServer.drip;
import static dev.baton.transfer.FaultyObjectServer.reset;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.digest.Digest;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransferFaultTest {
  private static final Duration STALLED = Duration.ofMillis(500);
  private static final Duration PAUSE = Duration.ofMillis(1);
  private static final byte[] OBJECT = "0123456789".repeat(10).getBytes(US_ASCII);
  private static final String DIGEST = Digest.of(OBJECT);
  private static final byte[] NOTHING = {};
  private static final PackRef PACK = new PackRef(Hash.parse(DIGEST), OBJECT.length, 50);

  private final PresignedObjectClient objects = PresignedObjectClient.withStallLimit(STALLED);
  private final byte[] into = new byte[5];
  private FaultyObjectServer server;

  @BeforeEach
  void start() throws IOException {
    server = new FaultyObjectServer(OBJECT);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void shouldReadARangeOfAWholeObject() throws Exception {
    objects.get(server.url(), OBJECT.length, 23, into, 5);

    assertThat(into).asString().isEqualTo("34567");
  }

  @Test
  void shouldRefuseAnotherLengthThanThatOfTheRange() {
    server.faults.add(answer("206 Partial Content", 6, new byte[6]));
    server.faults.add(answer("200 OK", 99, new byte[99]));

    assertThatThrownBy(this::range)
        .hasMessage("GET /object answered 206 with 6 bytes instead of 5");
    assertThatThrownBy(this::range)
        .hasMessage("GET /object: the object is damaged: it has 99 bytes instead of 100");
  }

  @Test
  void shouldRefuseAShortBody() {
    server.faults.add(answer("206 Partial Content", 5, new byte[3]));
    server.faults.add(answer("206 Partial Content", -1, new byte[3]));

    assertThatThrownBy(this::range).isInstanceOf(IOException.class);
    assertThatThrownBy(this::range).hasMessage("GET /object ended after 3 of 5 bytes");
  }

  @Test
  void shouldEndADownloadThatIsTooSlow() {
    server.faults.add(drip(1_000, 20));
    byte[] large = new byte[1_000];

    assertThatThrownBy(() -> objects.get(server.url(), 1_000, 0, large, 1_000))
        .hasMessageMatching("GET /object: only \\d+ bytes were received in 500 ms");
  }

  @Test
  void shouldEndADownloadThatIsSilent() {
    server.faults.add(
        socket -> socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream()));

    assertThatThrownBy(this::range).isInstanceOf(java.net.SocketTimeoutException.class);
  }

  @Test
  void shouldReturnAnObjectWithItsDigestOnly() throws Exception {
    byte[] damaged = OBJECT.clone();
    damaged[7]++;

    assertThat(objects.get(server.url(), DIGEST, OBJECT.length)).isEqualTo(OBJECT);
    server.faults.add(answer("200 OK", damaged.length, damaged));
    assertThatThrownBy(() -> objects.get(server.url(), DIGEST, OBJECT.length))
        .hasMessage("GET /object: the object is damaged: 100 bytes that do not match " + DIGEST);
    assertThatThrownBy(() -> objects.get(server.url(), DIGEST, OBJECT.length - 1))
        .hasMessage("GET /object: the object has more than 99 bytes");
  }

  @Test
  void shouldAcceptAnUploadThatIsAlreadyThere() throws Exception {
    server.faults.add(answer("412 Precondition Failed", 2, new byte[2]));
    server.faults.add(answer("412 Precondition Failed", 0, NOTHING));

    objects.put(server.url(), Map.of(), OBJECT, 10);
    objects.put(server.url(), Map.of(), OBJECT, 10);

    assertThat(server.requests).hasValue(2);
  }

  @Test
  void shouldReportTheAnswerWithoutTheSignature() {
    server.faults.add(answer("403 Forbidden", 7, "expired".getBytes(US_ASCII)));

    assertThatThrownBy(() -> objects.put(server.url(), Map.of(), OBJECT, 10))
        .isInstanceOfSatisfying(
            ObjectRefusedException.class,
            e -> {
              assertThat(e.status()).isEqualTo(403);
              assertThat(e.isExpired()).isTrue();
            })
        .hasMessage("PUT /object answered 403: expired");
  }

  @Test
  void shouldRetryUploadsAfterEveryTemporaryFault() throws Exception {
    server.faults.add(answer("500 Oops", 0, NOTHING));
    server.faults.add(socket -> socket.setSoLinger(true, 0));
    server.faults.add(answer("503 Slow Down", 0, NOTHING));

    RetryBudget.ofAttempts(4, PAUSE, PAUSE).retry(this::upload);

    assertThat(server.requests).hasValue(4);
  }

  @Test
  void shouldThrowTheLastFailureOfABudget() {
    for (int i = 500; i < 510; i++) {
      server.faults.add(answer(i + " Oops", 0, NOTHING));
    }

    assertThatThrownBy(() -> RetryBudget.ofAttempts(3, PAUSE, PAUSE).retry(this::upload))
        .hasMessage("PUT /object answered 502");
    assertThat(server.requests).hasValue(3);
  }

  @Test
  void shouldEndABudgetOfTime() {
    AtomicInteger attempts = new AtomicInteger();
    Duration patience = Duration.ofSeconds(1);

    long began = System.nanoTime();
    assertThatThrownBy(
            () ->
                RetryBudget.ofTime(patience, Duration.ofMillis(10), Duration.ofMillis(10))
                    .retry(
                        () -> {
                          throw new IOException("attempt " + attempts.incrementAndGet());
                        }))
        .hasMessageStartingWith("attempt ");

    assertThat(System.nanoTime() - began).isGreaterThan(patience.toNanos() / 2);
    assertThat(attempts).hasValueBetween(2, 201);
  }

  @Test
  void shouldReadPacksThroughEveryTemporaryFault() throws Exception {
    server.faults.addAll(
        List.of(
            reset("206 Partial Content", 5, new byte[2]),
            answer("500 Oops", 0, NOTHING),
            answer("206 Partial Content", 5, new byte[1]),
            answer("206 Partial Content", 9, new byte[9]),
            answer("429 Slow Down", 0, NOTHING)));
    PresignedPackSource packs = source(server.url(), 6, new AtomicInteger());

    packs.read(PACK, 90, into, 5);

    assertThat(into).isEqualTo(Arrays.copyOfRange(OBJECT, 90, 95));
    assertThat(packs.bytesRead()).isEqualTo(5);
    assertThat(server.faults).isEmpty();
  }

  @Test
  void shouldRenewExpiredUrlsOnly() throws Exception {
    AtomicInteger renewals = new AtomicInteger();
    server.faults.add(answer("403 Forbidden", 0, NOTHING));
    server.faults.add(answer("500 Oops", 0, NOTHING));
    server.faults.add(answer("400 ExpiredToken", 0, NOTHING));

    source(server.url(), 5, renewals).read(PACK, 0, into, 5);

    assertThat(renewals).hasValue(2);
  }

  @Test
  void shouldNotRetryWhenThePackDoesNotExist() {
    server.faults.add(answer("404 Not Found", 0, NOTHING));

    assertThatThrownBy(() -> source(server.url(), 5, new AtomicInteger()).read(PACK, 0, into, 5))
        .hasMessage("GET /object answered 404");
    assertThat(server.requests).hasValue(1);
  }

  @Test
  void shouldRefuseWhatTheStoreDidNotList() {
    PackRef other = new PackRef(Hash.of(NOTHING), OBJECT.length, 50);
    PresignedPackSource packs = source(server.url(), 5, new AtomicInteger());

    assertThatThrownBy(() -> packs.read(other, 0, into, 5))
        .hasMessage("the store returned no URL for pack " + other.id());
    assertThatThrownBy(() -> packs.read(PACK, 96, into, 5))
        .hasMessage("5 bytes at offset 96 are outside of a pack of 100 bytes");
    assertThat(server.requests).hasValue(0);
  }

  @Test
  void shouldDecodeThePlacesOfChunks() throws Exception {
    List<Hash> asked = List.of(Hash.of(NOTHING), Hash.of(OBJECT));

    assertThat(ChunkPlaceDecoder.decode(asked, List.of(0, 1), List.of(PACK)))
        .containsExactly(Map.entry(asked.get(1), PACK));
    assertThatThrownBy(() -> ChunkPlaceDecoder.decode(asked, List.of(1), List.of(PACK)))
        .hasMessage("the store returned 1 places for 2 chunks");
    assertThatThrownBy(() -> ChunkPlaceDecoder.decode(asked, List.of(0, 2), List.of(PACK)))
        .hasMessage("the store returned place 2 of 1 packs");
  }

  private byte[] range() throws IOException, InterruptedException {
    objects.get(server.url(), OBJECT.length, 0, into, 5);
    return into;
  }

  private byte[] upload() throws IOException, InterruptedException {
    objects.put(server.url(), Map.of(), OBJECT, OBJECT.length);
    return OBJECT;
  }

  private PresignedPackSource source(String url, int attempts, AtomicInteger renewals) {
    Map<Hash, String> urls = Map.of(PACK.id(), url);
    return new PresignedPackSource(
        objects,
        urls,
        () -> {
          renewals.incrementAndGet();
          return new HashMap<>(urls);
        },
        () -> RetryBudget.ofAttempts(attempts, PAUSE, PAUSE));
  }
}
