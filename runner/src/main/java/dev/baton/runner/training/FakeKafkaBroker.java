/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.training;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBrokerCollection;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopicCollection;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponseCollection;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.jboss.logging.Logger;

/**
 * Implements the part of a Kafka broker that producers use: reports every requested topic with one
 * partition, acknowledges all records and discards them. Listens on the loopback interface.
 */
final class FakeKafkaBroker implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(FakeKafkaBroker.class);
  private static final String HOST = "127.0.0.1";
  private static final int NODE = 1;
  private static final int MAX_REQUEST = 16 << 20;

  private final ServerSocket server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong offset = new AtomicLong();

  FakeKafkaBroker() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getByName(HOST));
    Thread.ofVirtual().name("broker").start(this::accept);
  }

  String address() {
    return HOST + ":" + server.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        open.add(socket);
        Thread.ofVirtual().name("broker-connection").start(() -> serve(socket));
      }
    } catch (IOException e) {
      LOG.debugf("broker: closed: %s", e.getMessage());
    }
  }

  private void serve(Socket socket) {
    try (socket;
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
      while (true) {
        int length = in.readInt();
        if (length < 0 || length > MAX_REQUEST) {
          throw new IOException("a request has " + length + " bytes; allowed: " + MAX_REQUEST);
        }
        byte[] answer = answer(ByteBuffer.wrap(in.readNBytes(length)));
        out.writeInt(answer.length);
        out.write(answer);
        out.flush();
      }
    } catch (EOFException | SocketException e) {
      LOG.debugf("broker: a producer has disconnected: %s", e.getMessage());
    } catch (IOException e) {
      LOG.error("broker: a producer's connection failed", e);
    } finally {
      open.remove(socket);
    }
  }

  private byte[] answer(ByteBuffer bytes) {
    RequestHeader header = RequestHeader.parse(bytes);
    AbstractRequest request =
        AbstractRequest.parseRequest(
                header.apiKey(), header.apiVersion(), new ByteBufferAccessor(bytes))
            .request;
    ByteBuffer answer =
        RequestUtils.serialize(
            new ResponseHeaderData().setCorrelationId(header.correlationId()),
            header.apiKey().responseHeaderVersion(header.apiVersion()),
            answer(request),
            header.apiVersion());
    byte[] array = new byte[answer.remaining()];
    answer.get(array);
    return array;
  }

  private ApiMessage answer(AbstractRequest request) {
    return switch (request) {
      case ApiVersionsRequest _ ->
          new ApiVersionsResponseData()
              .setApiKeys(ApiVersionsResponse.brokerApiVersions(ListenerType.BROKER, false, false));
      case MetadataRequest asked -> metadata(asked);
      case InitProducerIdRequest _ ->
          new InitProducerIdResponseData().setProducerId(1).setProducerEpoch((short) 0);
      case ProduceRequest produced -> written(produced);
      default -> throw new IllegalArgumentException("unsupported request: " + request.apiKey());
    };
  }

  private MetadataResponseData metadata(MetadataRequest asked) {
    MetadataResponseBrokerCollection brokers = new MetadataResponseBrokerCollection();
    brokers.add(
        new MetadataResponseBroker().setNodeId(NODE).setHost(HOST).setPort(server.getLocalPort()));
    MetadataResponseTopicCollection topics = new MetadataResponseTopicCollection();
    List<MetadataRequestTopic> names = asked.data().topics();
    for (MetadataRequestTopic topic : names == null ? List.<MetadataRequestTopic>of() : names) {
      topics.add(
          new MetadataResponseTopic()
              .setName(topic.name())
              .setTopicId(id(topic.name()))
              .setPartitions(
                  List.of(
                      new MetadataResponsePartition()
                          .setLeaderId(NODE)
                          .setLeaderEpoch(0)
                          .setReplicaNodes(List.of(NODE))
                          .setIsrNodes(List.of(NODE)))));
    }
    return new MetadataResponseData()
        .setBrokers(brokers)
        .setClusterId("rehearsal")
        .setControllerId(NODE)
        .setTopics(topics);
  }

  private static Uuid id(String topic) {
    UUID id = UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8));
    return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  private ProduceResponseData written(ProduceRequest produced) {
    TopicProduceResponseCollection topics = new TopicProduceResponseCollection();
    for (TopicProduceData topic : produced.data().topicData()) {
      topics.add(
          new TopicProduceResponse()
              .setName(topic.name())
              .setTopicId(topic.topicId())
              .setPartitionResponses(
                  topic.partitionData().stream()
                      .map(
                          partition ->
                              new PartitionProduceResponse()
                                  .setIndex(partition.index())
                                  .setBaseOffset(offset.getAndIncrement()))
                      .toList()));
    }
    return new ProduceResponseData().setResponses(topics);
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
