/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.process.ProcessIdentity;
import io.minio.BucketExistsArgs;
import io.minio.GetObjectArgs;
import io.minio.MakeBucketArgs;
import io.minio.MinioClient;
import io.minio.PutObjectArgs;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServersTest {

  @TempDir static Path folder;

  private static StandaloneStack stack;

  @BeforeAll
  static void start() throws Exception {
    stack =
        StandaloneStack.builder()
            .data(folder.resolve("data"))
            .components(StackComponent.KAFKA, StackComponent.POSTGRES, StackComponent.S3)
            .progress(System.out::println)
            .start();
  }

  @AfterAll
  static void stop() throws Exception {
    List<ProcessIdentity> processes = new ArrayList<>();
    for (StackComponent component :
        List.of(StackComponent.KAFKA, StackComponent.POSTGRES, StackComponent.S3)) {
      stack.process(component).ifPresent(processes::add);
    }
    stack.close();
    assertThat(processes).noneMatch(ProcessIdentity::isAlive);
  }

  @Test
  void shouldKeepAnAcknowledgedRecordWhenKafkaIsKilled() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.kafkaBootstrap()))) {
      NewTopic topic = new NewTopic("kept", 1, (short) 1).configs(Map.of("flush.messages", "1"));
      admin.createTopics(List.of(topic)).all().get();
    }
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.kafkaBootstrap(), "acks", "all"),
            new StringSerializer(),
            new StringSerializer())) {
      producer.send(new ProducerRecord<>("kept", "key", "value")).get();
    }

    stack.kill(StackComponent.KAFKA);
    assertThat(stack.process(StackComponent.KAFKA)).isEmpty();
    stack.restart(StackComponent.KAFKA);

    TopicPartition partition = new TopicPartition("kept", 0);
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", stack.kafkaBootstrap(), "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(partition));
      ConsumerRecords<String, String> records = consumer.poll(Duration.ofSeconds(20));
      assertThat(records.records(partition)).singleElement().extracting("value").isEqualTo("value");
    }
  }

  @Test
  void shouldNotMakeTopicsNobodyAskedFor() {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", stack.kafkaBootstrap(), "max.block.ms", 1_500);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("misspelt", "x")).get())
          .hasMessageContaining("misspelt");
    }
  }

  @Test
  void shouldKeepACommittedRowWhenPostgresIsKilled() throws Exception {
    // The connection stays open: its server process outlives the killed one for a moment.
    try (Connection open = connect();
        var statement = open.createStatement()) {
      statement.execute("CREATE TABLE kept (value text)");
      statement.execute("INSERT INTO kept VALUES ('row')");
      stack.kill(StackComponent.POSTGRES);
      stack.restart(StackComponent.POSTGRES);
    }

    try (Connection again = connect();
        var statement = again.createStatement();
        var rows = statement.executeQuery("SELECT value, current_setting('fsync') FROM kept")) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.getString(1)).isEqualTo("row");
      assertThat(rows.getString(2)).isEqualTo("on");
    }
  }

  @Test
  void shouldRefuseAWrongPassword() {
    assertThatThrownBy(
            () -> DriverManager.getConnection(stack.postgres().jdbcUrl(), "baton", "guess"))
        .hasMessageContaining("password authentication failed");
  }

  @Test
  void shouldKeepAnObjectWhenS3IsKilled() throws Exception {
    makeBucket("kept");
    put("kept", "object", "content".getBytes(StandardCharsets.UTF_8));

    stack.kill(StackComponent.S3);
    stack.restart(StackComponent.S3);

    assertThat(get("kept", "object")).asString().isEqualTo("content");
  }

  @Test
  void shouldTakeSeveralLargeSignedObjectsAtOnce() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    byte[] large = new byte[16 * 1024 * 1024];
    new Random(seed).nextBytes(large);
    makeBucket("large");

    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> puts = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String name = "object-" + i;
        puts.add(
            pool.submit(
                () -> {
                  put("large", name, large);
                  return name;
                }));
      }
      for (Future<?> put : puts) {
        put.get();
      }
    }

    assertThat(get("large", "object-3")).isEqualTo(large);
  }

  @Test
  void shouldRefuseAWrongSecret() {
    MinioClient stranger =
        MinioClient.builder()
            .endpoint(stack.s3().endpoint())
            .region(stack.s3().region())
            .credentials(stack.s3().accessKey(), "a-guessed-secret-key")
            .build();
    assertThatThrownBy(
            () -> stranger.bucketExists(BucketExistsArgs.builder().bucket("any").build()))
        .isNotNull();
  }

  private static Connection connect() throws Exception {
    return DriverManager.getConnection(
        stack.postgres().jdbcUrl(), stack.postgres().user(), stack.postgres().password());
  }

  private static MinioClient minio() {
    return MinioClient.builder()
        .endpoint(stack.s3().endpoint())
        .region(stack.s3().region())
        .credentials(stack.s3().accessKey(), stack.s3().secretKey())
        .build();
  }

  private static void makeBucket(String name) throws Exception {
    minio().makeBucket(MakeBucketArgs.builder().bucket(name).build());
  }

  private static void put(String bucket, String name, byte[] content) throws Exception {
    minio()
        .putObject(
            PutObjectArgs.builder().bucket(bucket).object(name).stream(
                    new ByteArrayInputStream(content), content.length, -1)
                .build());
  }

  private static byte[] get(String bucket, String name) throws Exception {
    try (var in = minio().getObject(GetObjectArgs.builder().bucket(bucket).object(name).build())) {
      return in.readAllBytes();
    }
  }
}
