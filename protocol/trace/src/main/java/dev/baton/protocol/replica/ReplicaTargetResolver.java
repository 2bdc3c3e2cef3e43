/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.replica;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds a gRPC target with several addresses: a channel uses the first it can connect to, and when
 * the connection is lost tries them again in order. Names are resolved at every attempt.
 */
public final class ReplicaTargetResolver {
  /** Time limit of a connection attempt to one address before the next is tried. */
  public static final int CONNECT_MILLIS = 3_000;

  private static final String SCHEME = "baton";

  static {
    NameResolverRegistry.getDefaultRegistry().register(new Provider());
  }

  private ReplicaTargetResolver() {}

  /**
   * Returns the target for a channel builder's {@code forTarget}.
   *
   * @param addresses {@code host:port} each; one or more
   */
  public static String target(List<String> addresses) {
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("a service needs at least one address");
    }
    // IPv6 addresses contain brackets, which are not allowed in a URI's path.
    return SCHEME + ":///" + String.join(",", addresses).replace("[", "%5B").replace("]", "%5D");
  }

  private static final class Provider extends NameResolverProvider {
    private static final int PRIORITY = 5;

    @Override
    protected boolean isAvailable() {
      return true;
    }

    @Override
    protected int priority() {
      return PRIORITY;
    }

    @Override
    public String getDefaultScheme() {
      return SCHEME;
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
      return Set.of(InetSocketAddress.class);
    }

    @Override
    public @Nullable NameResolver newNameResolver(URI target, NameResolver.Args args) {
      if (!SCHEME.equals(target.getScheme())) {
        return null;
      }
      return new Resolver(Arrays.asList(target.getPath().substring(1).split(",", -1)), args);
    }
  }

  private static final class Resolver extends NameResolver {
    private final List<String> addresses;
    private final Args args;
    private @Nullable Listener2 listener;

    Resolver(List<String> addresses, Args args) {
      this.addresses = addresses;
      this.args = args;
    }

    @Override
    public String getServiceAuthority() {
      return addresses.getFirst();
    }

    @Override
    public void start(Listener2 newListener) {
      listener = newListener;
      refresh();
    }

    /** Name resolution may block, so it runs on the offload executor. */
    @Override
    public void refresh() {
      Objects.requireNonNull(args.getOffloadExecutor(), "the channel has no offload executor")
          .execute(
              () -> {
                ResolutionResult found =
                    ResolutionResult.newBuilder().setAddressesOrError(lookUp()).build();
                args.getSynchronizationContext()
                    .execute(
                        () -> {
                          Listener2 told = listener;
                          if (told != null) {
                            told.onResult2(found);
                          }
                        });
              });
    }

    private StatusOr<List<EquivalentAddressGroup>> lookUp() {
      List<EquivalentAddressGroup> found = new ArrayList<>();
      for (String address : addresses) {
        int colon = address.lastIndexOf(':');
        InetSocketAddress known =
            new InetSocketAddress(
                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        if (!known.isUnresolved()) {
          // With TLS the certificate must be for this address, not for the first of all.
          found.add(
              new EquivalentAddressGroup(
                  known,
                  Attributes.newBuilder()
                      .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, address)
                      .build()));
        }
      }
      return found.isEmpty()
          ? StatusOr.fromStatus(Status.UNAVAILABLE.withDescription("unknown hosts: " + addresses))
          : StatusOr.fromValue(found);
    }

    @Override
    public void shutdown() {
      listener = null;
    }
  }
}
