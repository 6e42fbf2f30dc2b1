/**
 * Who writes what where: the routing table, made once from what both sides say of themselves.
 *
 * <p>Begin with {@link io.reactivetransfer.weights.plan.Planner}, which makes a {@link
 * io.reactivetransfer.weights.plan.RoutingTable}. The table is data: for each rank of the trainer
 * its {@link io.reactivetransfer.weights.plan.Step}s, and for each of these its {@link
 * io.reactivetransfer.weights.plan.Runs}. {@link io.reactivetransfer.weights.plan.PlanCost} says
 * what it costs, {@link io.reactivetransfer.weights.plan.TableDiff} how two of them differ.
 */
@NullMarked
package io.reactivetransfer.weights.plan;

import org.jspecify.annotations.NullMarked;
