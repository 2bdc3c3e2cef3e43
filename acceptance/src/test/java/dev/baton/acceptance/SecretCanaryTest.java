/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Uses a random secret everywhere, and searches for it in everything that an installation keeps:
 * topics and their files, the files of Postgres, the object store, the git archive, checkpoints,
 * logs, and the arguments of processes. {@code -Dbaton.canary.seed=N} repeats a secret.
 */
class SecretCanaryTest {
  private static final Duration END = Duration.ofSeconds(180);
  private static final long SEED = Long.getLong("baton.canary.seed", System.nanoTime());
  private static final int PIECE = 1 << 20;

  @TempDir private Path folder;

  /** With characters that URLs, JSON and Base64 encode. */
  private static String secret(long seed) {
    Random random = new Random(seed);
    StringBuilder secret = new StringBuilder("canary/+\"");
    for (int i = 0; i < 32; i++) {
      secret.append((char) ('a' + random.nextInt(26)));
    }
    return secret.append("= end").toString();
  }

  /** The forms to search for: independent of the code that masks them. */
  private static Map<String, byte[]> forms(String of, String secret) {
    Map<String, byte[]> forms = new LinkedHashMap<>();
    forms.put("the value" + of, secret.getBytes(StandardCharsets.UTF_8));
    // Without the characters that encodings change.
    forms.put("its middle" + of, secret.substring(9, 41).getBytes(StandardCharsets.UTF_8));
    forms.put(
        "the URL form" + of,
        URLEncoder.encode(secret, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8));
    for (int offset = 0; offset < 3; offset++) {
      byte[] shifted = (" ".repeat(offset) + secret).getBytes(StandardCharsets.UTF_8);
      String encoded = Base64.getEncoder().encodeToString(shifted);
      forms.put(
          "Base64 at offset " + offset + of,
          encoded.substring(8, encoded.length() - 8).getBytes(StandardCharsets.UTF_8));
    }
    return forms;
  }

  private static HttpServer echo() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange
              .getResponseHeaders()
              .add("Set-Cookie", exchange.getRequestHeaders().getFirst("Authorization"));
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private String definition(int port) {
    return """
        name: canary
        secrets: {token: {file: SECRETS/token}, selected: {file: SECRETS/selected}}
        input: {required: [given], properties: {given: {type: string, x-secret: true}}}
        steps:
          - id: print
            env: {T: "${{ secrets.token }}", U: "user:${{ secrets.token }}", G: "${{ secrets.given }}"}
            shell: |
              echo "given $G"; printf '%s' "$G" | base64
              echo "$T"
              echo "$T" >&2
              printf '%s' "$T" | base64 -w 20
              printf '%s' "$U" | base64
              printf 'x%s' "$U" | base64
              half=$((${#T} / 2))
              printf '%s' "$T" | head -c $half; sleep 0.3; printf '%s' "$T" | tail -c +$((half + 1)); echo
              printf '%s' "$T" | od -An -v -tx1 | tr -d ' \\n' | sed 's/../%&/g'; echo
              head -c 70000 /dev/zero | tr '\\0' x; echo "$T"
          - id: write
            env: {T: "${{ secrets.token }}"}
            output: json
            shell: |
              echo "$T" > token.txt
              mkdir -p in; (head -c 3000000 /dev/urandom; printf '%s' "$T") > in/large
              echo kept > kept.txt
              printf '{"a": ["%s"]}' "$(printf '%s' "$T" | sed 's/"/\\\\"/')"
          - id: send
            http:
              method: POST
              url: http://127.0.0.1:PORT/
              headers: {Authorization: "Bearer ${{ secrets.token }}"}
              body: {token: "${{ secrets.token }}", given: "${{ secrets.given }}"}
          - id: hold
            env: {T: "${{ secrets.token }}"}
            shell: touch GATE/held; while [ ! -e GATE/open ]; do sleep 0.1; done; cat token.txt
          - id: fail
            env: {T: "${{ secrets.token }}"}
            retry: {max: 1, backoff: 100ms}
            shell: echo "error $T" >&2; exit 7
            next: [{on: failure, to: last}]
          - id: last
            transform: '{all: [.steps.print.output, .steps.write.output, .steps.send.output, .steps.fail.error]}'
        """
        .replace("SECRETS", folder.resolve("secrets").toString())
        .replace("GATE", folder.toString())
        .replace("PORT", Integer.toString(port));
  }

  @Test
  void shouldKeepASecretOutOfEverythingThatIsStored() throws Exception {
    System.out.println("seed of the canary: " + SEED);
    String secret = secret(SEED);
    String given = secret(SEED + 1);
    Map<String, byte[]> forms = forms("", secret);
    forms.putAll(forms(" of the input", given));
    Path token = Files.createDirectory(folder.resolve("secrets")).resolve("token");
    Files.writeString(token, secret);
    Files.writeString(token.resolveSibling("selected"), given);
    Path archive = folder.resolve("archive.git");
    HttpServer server = echo();
    List<String> found = new ArrayList<>();
    try (SharedStackExtension.RunningStack on =
        ArchivedStackStarter.start(
            archive,
            Map.of("BATON_SECRETS_SOURCES", "file:" + folder.resolve("secrets") + "/**"))) {
      on.api.push(definition(server.getAddress().getPort()));
      assertThat(refused(on, given)).as("a value in place of a reference").isEqualTo(422);
      String run =
          on.api.start(
              "canary",
              AcceptanceApiClient.JSON.createObjectNode().put("given", "secret:selected"));
      Await.until("the run holds", END, () -> Files.exists(folder.resolve("held")));
      searchArguments(forms, found);
      Files.createFile(folder.resolve("open"));
      on.api.awaitStatus(run, "completed", END);

      awaitArchived(on, run);
      searchText(on.api.get("/runs/" + run).body().toString(), "the API", forms, found);
      searchText(BatonCliInvoker.run(on, "logs", run, "-o", "json").out(), "the log", forms, found);
      searchTopics(on, forms, found);
      searchFiles(on.stack.data(), forms, found);
      searchGit(archive, forms, found);
      Path restored = folder.resolve("restored");
      int saves = 0;
      for (JsonNode saved :
          on.api.get("/runs/" + run + "/checkpoints").body().path("checkpoints")) {
        String id = saved.path("id").asText();
        Path to = restored.resolve(id);
        BatonCliInvoker.run(on, "checkpoint", "restore", id, "--to", to.toString());
        saves += Files.exists(to.resolve("kept.txt")) ? 1 : 0;
      }
      assertThat(saves).isPositive();
      searchFiles(restored, forms, found);
      assertThat(found).as("seed %d", SEED).isEmpty();
      assertEffects(on, run);
    } finally {
      server.stop(0);
    }
  }

  private static int refused(SharedStackExtension.RunningStack on, String given) throws Exception {
    ObjectNode request = AcceptanceApiClient.JSON.createObjectNode().put("workflow", "canary");
    request.putObject("input").put("given", given);
    return on.api.post("/runs", request).status();
  }

  /** The steps had the secret: otherwise nothing would be proven. */
  private static void assertEffects(SharedStackExtension.RunningStack on, String run)
      throws Exception {
    String events = on.api.events(run).toString();
    assertThat(events)
        .contains("Bearer ***", "error ***", "token.txt", "\"given\":\"***\"", "secret:selected");
    String log = BatonCliInvoker.run(on, "logs", run).out();
    assertThat(log).contains("given ***", "error ***");
  }

  private static void awaitArchived(SharedStackExtension.RunningStack on, String run) {
    Await.until(
        "the run is archived",
        END,
        () -> on.api.get("/archive").body().path("runs").toString().contains(run));
  }

  private static void searchText(
      String text, String where, Map<String, byte[]> forms, List<String> found) {
    search(text.getBytes(StandardCharsets.UTF_8), where, forms, found);
  }

  private static void search(
      byte[] bytes, String where, Map<String, byte[]> forms, List<String> found) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    forms.forEach(
        (form, needle) -> {
          if (text.contains(new String(needle, StandardCharsets.ISO_8859_1))) {
            found.add(form + " in " + where);
          }
        });
  }

  private static void searchArguments(Map<String, byte[]> forms, List<String> found)
      throws IOException {
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path process :
          processes.filter(path -> path.getFileName().toString().matches("[0-9]+")).toList()) {
        try {
          search(Files.readAllBytes(process.resolve("cmdline")), process.toString(), forms, found);
        } catch (IOException ended) {
          // Of a process that has ended, or of another user.
        }
      }
    }
  }

  private static void searchTopics(
      SharedStackExtension.RunningStack on, Map<String, byte[]> forms, List<String> found) {
    Map<String, Object> reader =
        Map.of(
            "bootstrap.servers", on.stack.kafkaBootstrap(),
            "isolation.level", "read_committed",
            "auto.offset.reset", "earliest");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(reader, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      consumer
          .listTopics()
          .values()
          .forEach(
              infos ->
                  infos.forEach(
                      info -> partitions.add(new TopicPartition(info.topic(), info.partition()))));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      long[] read = {0};
      Await.until(
          "all topics are read",
          END,
          () -> {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
              read[0]++;
              if (record.value() != null) {
                search(record.value(), "the topic " + record.topic(), forms, found);
              }
            }
            return partitions.stream()
                .allMatch(at -> consumer.position(at) >= Objects.requireNonNull(ends.get(at)));
          });
      assertThat(read[0]).isPositive();
    }
  }

  /** Searches all files of a folder: also those of Kafka and Postgres, with their journals. */
  private static void searchFiles(Path root, Map<String, byte[]> forms, List<String> found)
      throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              searchFile(file, forms, found);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void searchFile(Path file, Map<String, byte[]> forms, List<String> found) {
    try (var in = Files.newInputStream(file)) {
      byte[] before = new byte[0];
      for (byte[] next = in.readNBytes(PIECE); next.length > 0; next = in.readNBytes(PIECE)) {
        byte[] both = new byte[before.length + next.length];
        System.arraycopy(before, 0, both, 0, before.length);
        System.arraycopy(next, 0, both, before.length, next.length);
        search(both, file.toString(), forms, found);
        int kept = Math.min(both.length, 256);
        before = new byte[kept];
        System.arraycopy(both, both.length - kept, before, 0, kept);
      }
    } catch (IOException gone) {
      // A file of a running service, which it has deleted.
    }
  }

  /** Searches all objects of the archive, uncompressed. */
  private void searchGit(Path archive, Map<String, byte[]> forms, List<String> found)
      throws IOException, InterruptedException {
    Path objects = folder.resolve("objects");
    Process git =
        new ProcessBuilder(
                "git",
                "-C",
                archive.toString(),
                "cat-file",
                "--batch-all-objects",
                "--batch",
                "--buffer")
            .redirectOutput(objects.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    git.getOutputStream().close();
    assertThat(git.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(git.exitValue()).isZero();
    assertThat(objects.toFile().length()).isPositive();
    searchFile(objects, forms, found);
  }
}
